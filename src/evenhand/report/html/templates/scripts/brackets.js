/* Phrase structure trees, over their words. */
/* The trees of all sides, with each bracket above its words. */
function drawBrackets(grid, part, unit) {
  tokensOf(grid, part, unit);
  const trees = part.s.map((side, number) => treeOf(bracketsOf(part, unit, number)));
  const drawings = trees.map((tree, number) => {
    sideName(grid, number + 2, number);
    const words = tree.map((node) => `${label(node.code)} over “${part.t.slice(node.from, node.to).join(" ")}”${node.note ? ` (${node.note})` : ""}`);
    const svg = drawn("svg", { class: "arcs tree", role: "img", "aria-label": visible(`${number ? systems[number - 1] : "gold"}: ${words.join("; ")}`) });
    put(grid, svg, number + 2, 2, -1);
    return svg;
  });
  makeRoom(grid, trees.flat(), part);
  const left = drawings[0].getBoundingClientRect().left;
  const boxes = [...grid.querySelectorAll(".token")].map((node) => node.getBoundingClientRect());
  const middles = boxes.map((box) => box.left + box.width / 2 - left);
  drawings.forEach((svg, number) => drawTree(svg, trees[number], part, middles));
}

/* Words as wide as the labels above them, so labels of neighbours do not touch. */
function makeRoom(grid, nodes, part) {
  const tokens = [...grid.querySelectorAll(".token")], widths = tokens.map((node) => node.getBoundingClientRect().width);
  for (const { code, from, to, here } of nodes) {
    const [first, last] = [Math.max(from, part.first) - part.first, Math.min(to, part.last) - part.first];
    const lacking = widthOf(visible(label(code)), here ? 13 : 11) + 6 - widths.slice(first, last).reduce((sum, width) => sum + width, 0);
    if (lacking > 0) widths[first] += lacking;
  }
  tokens.forEach((node, at) => { node.style.minWidth = `${Math.ceil(widths[at])}px`; });
}

/* The visible brackets of a side, with their errors. */
function bracketsOf(part, unit, number) {
  const inSight = ([, from, to]) => to > part.first && from < part.last;
  return part.s[number].filter(inSight).map(([code, from, to, mark]) => {
    const here = code === data.label[unit] && from === data.start[unit] && to === data.end[unit];
    return { code, from, to, mark, here, missed: mark && !number, note: !mark ? "" : number ? "wrong" : systems.length > 1 ? `missed by ${mark} of ${systems.length} systems` : "missed" };
  });
}

/* Brackets in the order in which they open, each with its parent, its height above the words, and the words that no inner bracket covers. */
function treeOf(brackets) {
  const open = [];
  for (const node of brackets) {
    while (open.length && open[open.length - 1].to <= node.from) open.pop();
    node.parent = open[open.length - 1] ?? null;
    node.height = 1;
    open.push(node);
  }
  for (const node of [...brackets].reverse()) if (node.parent) node.parent.height = Math.max(node.parent.height, node.height + 1);
  return brackets;
}

function drawTree(svg, tree, part, middles) {
  const step = 26, top = tree.reduce((most, node) => Math.max(most, node.height), 1);
  const inside = (at) => middles[Math.min(Math.max(at - part.first, 0), middles.length - 1)];
  const x = (node) => (inside(node.from) + inside(node.to - 1)) / 2, y = (node) => (top - node.height) * step + 14, bottom = top * step + 14;
  svg.setAttribute("height", bottom + 8);
  const owner = new Map(); /* the lowest bracket over each word */
  for (const node of tree) for (let at = node.from; at < node.to; at++) owner.set(at, node);
  for (let at = part.first; at < part.last; at++) {
    if (owner.has(at)) svg.append(drawn("path", { class: "arc", d: `M ${x(owner.get(at))} ${y(owner.get(at)) + 4} L ${inside(at)} ${bottom - 10}` }));
    const text = drawn("text", { class: "leaf", x: inside(at), y: bottom + 2 });
    text.textContent = visible(part.t[at] ?? "");
    svg.append(text);
  }
  for (const node of tree) {
    const group = drawn("g", { class: `${node.mark ? "wrong wrong-label" : ""}${node.missed ? " missed" : ""}${node.here ? " here" : ""}` }), title = drawn("title", {});
    const text = drawn("text", { x: x(node), y: y(node) });
    text.textContent = visible(label(node.code));
    title.textContent = `${text.textContent}${node.note ? `: ${node.note}` : ""}`;
    if (node.parent) group.append(drawn("path", { class: "arc", d: `M ${x(node.parent)} ${y(node.parent) + 4} L ${x(node)} ${y(node) - 11}` }));
    group.append(title, text);
    svg.append(group);
  }
}
