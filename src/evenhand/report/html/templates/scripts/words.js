/* Words with labels in rows, or with arcs to their heads. */
function drawLabels(grid, part, unit) {
  tokensOf(grid, part, unit);
  part.s.forEach((side, number) => {
    sideName(grid, number + 2, number);
    for (let at = part.first; at < part.last; at++) {
      const row = side[at], gold = part.s[0][at], wrong = number && (!row || row[0] !== gold[0]);
      put(grid, make("bdi", `cell${wrong ? " wrong" : ""}${at === data.start[unit] ? " here" : ""}`, row ? visible(label(row[0])) : "–"), number + 2, at - part.first + 2);
    }
  });
}

function drawArcsOf(grid, part, unit) {
  tokensOf(grid, part, unit);
  const drawings = part.s.map((side, number) => {
    sideName(grid, number + 2, number);
    const svg = drawn("svg", { class: "arcs", role: "img", "aria-label": `${number ? systems[number - 1] : "gold"}: ${arcsInWords(side, part.t)}` });
    put(grid, svg, number + 2, 2, -1);
    return svg;
  });
  const left = drawings[0].getBoundingClientRect().left;
  const middles = [...grid.querySelectorAll(".token")].map((node) => { const box = node.getBoundingClientRect(); return box.left + box.width / 2 - left; });
  drawings.forEach((svg, number) => drawArcs(svg, part.s[number], middles, data.start[unit]));
}

/* Labels and heads of a word: its tree's, or those of its enhanced edges. */
const edgesOf = (row) => (isOfEdges ? row.slice(2).flatMap((code, at, all) => (at % 2 ? [] : [[code, all[at + 1]]])) : [[row[0], row[1]]]);

const arcsInWords = (side, tokens) => side.flatMap((row, at) => (row ? edgesOf(row).map(([code, head]) => visible(`${tokens[at]} is ${label(code)}${head >= 0 ? ` of ${tokens[head]}` : ""}`)) : [])).join("; ");

/* How deep arcs hang: below all those that begin and end under them; each has a dependent, a head and a level. */
function arcsOf(side) {
  const all = side.flatMap((row, at) => (row ? edgesOf(row).map(([code, head]) => ({ at, code, head, isArc: head >= 0 && head !== at, from: Math.min(at, head), to: Math.max(at, head), level: 1 })) : []));
  const arcs = all.filter((arc) => arc.isArc).sort((one, other) => one.to - one.from - (other.to - other.from));
  arcs.forEach((arc, number) => { for (const under of arcs.slice(0, number)) if (under.from < arc.to && under.to > arc.from) arc.level = Math.max(arc.level, under.level + 1); });
  return all;
}

function drawArcs(svg, side, middles, here) {
  const all = arcsOf(side), height = 18 * all.reduce((most, arc) => Math.max(most, arc.isArc ? arc.level : 0), 1) + 22;
  svg.setAttribute("height", height);
  for (const { at, code, head, isArc, level } of all) {
    const x = middles[at], group = drawn("g", at === here ? { class: "here" } : {});
    const depth = isArc ? 18 * level : height - 18, to = isArc ? middles[head] : x;
    const side = Math.sign(to - x) * Math.min(8, Math.abs(to - x) / 3), near = x + side / 2, far = to - side / 2;
    const path = isArc ? `M ${far} 0 C ${far} ${depth * 0.7}, ${far - side} ${depth}, ${far - side * 2} ${depth} L ${near + side * 2} ${depth} C ${near + side} ${depth}, ${near} ${depth * 0.7}, ${near} 5` : `M ${x} ${depth} V 5`;
    const text = drawn("text", isArc ? { x: (x + to) / 2, y: depth + 4 } : { x, y: height - 6 });
    const tip = isArc ? near : x;
    text.textContent = visible(label(code)) + (head === -2 ? " (head elsewhere)" : "");
    group.append(drawn("path", { class: "arc", d: path }), drawn("path", { class: "tip", d: `M ${tip} 0 l -3.5 6 h 7 z` }), text);
    svg.append(group);
  }
  for (const chosen of [...svg.querySelectorAll(".here")]) svg.append(chosen); /* above the others */
}
