/* Words with labels in rows, or with arcs to their heads. */
function drawLabels(grid, part, unit) {
  tokensOf(grid, part, unit);
  part.s.forEach((side, number) => {
    sideName(grid, number + 2, number);
    for (let at = part.first; at < part.last; at++) put(grid, make("bdi", `cell ${tagClasses(part, number, at, unit)}`, visible(tagText(side[at]))), number + 2, at - part.first + 2);
  });
}

const tagText = (row) => (row ? label(row[0]) : "–");

function tagClasses(part, number, at, unit) {
  const row = part.s[number][at], wrong = number && (!row || row[0] !== part.s[0][at][0]);
  return `${wrong ? "wrong" : ""}${at === data.start[unit] ? " here" : ""}`;
}

function drawArcsOf(grid, part, unit) {
  tokensOf(grid, part, unit);
  const arcs = part.s.map((side, number) => arcsOf(side, number ? part.s[0] : null));
  const drawings = arcs.map((side, number) => {
    sideName(grid, number + 2, number);
    const svg = drawn("svg", { class: "arcs", role: "img", "aria-label": `${sideNames[number]}: ${arcsInWords(side, part.t)}` });
    put(grid, svg, number + 2, 2, -1);
    return svg;
  });
  const left = drawings[0].getBoundingClientRect().left;
  const middles = [...grid.querySelectorAll(".token")].map((node) => { const box = node.getBoundingClientRect(); return box.left + box.width / 2 - left; });
  drawings.forEach((svg, number) => drawArcs(svg, leveled(arcs[number], middles), middles, data.start[unit]));
}

/* Labels and heads of a word, from its tree or from its enhanced edges. */
const edgesOf = (row) => (isOfEdges ? row.slice(2).flatMap((code, at, all) => (at % 2 ? [] : [[code, all[at + 1]]])) : [[row[0], row[1]]]);

/* The arcs of a side; for a system, with errors, and with ghosts of missing heads. */
function arcsOf(side, golds) {
  return side.flatMap((row, at) => {
    const edges = row ? edgesOf(row) : [], gold = golds && golds[at] ? edgesOf(golds[at]) : null;
    const arcs = edges.map(([code, head]) => ({ at, code, head, wrongHead: gold !== null && !gold.some((each) => each[1] === head), wrongLabel: gold !== null && !gold.some((each) => each[0] === code && (each[1] === head || !isOfEdges)) }));
    const missed = gold === null ? [] : gold.filter((each) => !edges.some((edge) => edge[1] === each[1]));
    return [...arcs, ...missed.map(([code, head]) => ({ at, code, head, ghost: true }))];
  });
}

const isArc = (arc) => arc.head >= 0 && arc.head !== arc.at;

function inWords({ at, code, head, wrongHead, wrongLabel, ghost }, tokens) {
  const text = `${tokens[at]} is ${label(code)}${head >= 0 ? ` of ${tokens[head]}` : ""}`;
  const wrong = [wrongHead ? "head" : "", wrongLabel ? data.label_name : ""].filter(Boolean).join(" and ");
  return visible(ghost ? `not: ${text}` : wrong ? `${text} (wrong ${wrong})` : text);
}

const arcsInWords = (arcs, tokens) => arcs.map((arc) => inWords(arc, tokens)).join("; ");

const arcText = (arc) => (arc.wrongHead || arc.wrongLabel ? "✗ " : "") + visible(label(arc.code)) + (arc.head === -2 ? " (head elsewhere)" : "");

/* The width of a label in pixels; labels of wrong arcs are bold. */
const ruler = document.createElement("canvas").getContext("2d");
function widthOf(text, size = 11) {
  ruler.font = `bold ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

/* The depth of arcs: each is below all arcs inside it, and below those whose labels would touch its label. */
function leveled(all, middles) {
  for (const arc of all) {
    Object.assign(arc, { from: Math.min(arc.at, arc.head), to: Math.max(arc.at, arc.head), level: 1, text: arcText(arc) });
    if (isArc(arc)) arc.room = roomOf(middles[arc.at], middles[arc.head], arc.text);
  }
  const roots = all.filter((arc) => !isArc(arc));
  roots.forEach((arc, number) => { arc.room = roomOf(middles[arc.at], middles[arc.at], arc.text); arc.level = freeLevel(arc, roots.slice(0, number), () => false); });
  const arcs = all.filter(isArc).sort((one, other) => one.to - one.from - (other.to - other.from));
  arcs.forEach((arc, number) => { arc.level = freeLevel(arc, arcs.slice(0, number), (under) => under.from < arc.to && under.to > arc.from); });
  return all;
}

/* The extent of a label in the middle of an arc, in pixels. */
function roomOf(one, other, text) {
  const middle = (one + other) / 2, half = widthOf(text) / 2 + 3;
  return [middle - half, middle + half];
}

/* The first level below all arcs that an arc encloses or crosses, where its label touches no other label. */
function freeLevel(arc, others, meets) {
  const least = 1 + Math.max(0, ...others.filter(meets).map((under) => under.level));
  const taken = new Set(others.filter((other) => other.room[0] < arc.room[1] && other.room[1] > arc.room[0]).map((other) => other.level));
  let level = least;
  while (taken.has(level)) level++;
  return level;
}

function drawArcs(svg, all, middles, here) {
  const height = 18 * all.reduce((most, arc) => Math.max(most, isArc(arc) ? arc.level : 0), 1) + 22;
  const below = (arc) => 14 * (arc.level - 1); /* labels of roots do not touch each other */
  svg.setAttribute("height", height + Math.max(0, ...all.filter((arc) => !isArc(arc)).map(below)));
  const groups = all.map((arc) => {
    const classes = [arc.at === here ? "here" : "", arc.ghost ? "ghost" : "", arc.wrongHead ? "wrong" : "", arc.wrongLabel ? "wrong-label" : ""];
    const group = drawn("g", { class: classes.filter(Boolean).join(" ") });
    if (isArc(arc)) drawArc(group, middles[arc.at], middles[arc.head], 18 * arc.level);
    else group.append(drawn("path", { class: "arc", d: `M ${middles[arc.at]} ${height - 18} V 5` }), drawn("path", { class: "tip", d: `M ${middles[arc.at]} 0 l -3.5 6 h 7 z` }));
    addLabel(group, isArc(arc) ? (middles[arc.at] + middles[arc.head]) / 2 : middles[arc.at], isArc(arc) ? 18 * arc.level + 4 : height - 6 + below(arc), arc.text);
    return group;
  });
  putGroups(svg, groups);
}

/* A label on a ground that covers the lines under it. */
function addLabel(group, x, y, text) {
  const label = drawn("g", { class: group.getAttribute("class") }), node = drawn("text", { x, y }), width = widthOf(text) + 4;
  node.textContent = text;
  label.append(drawn("rect", { class: "ground", x: x - width / 2, y: y - 10, width, height: 14 }), node);
  group.label = label;
}

/* Arcs, the ones of the unit last, and then their labels, which no line crosses. */
function putGroups(svg, groups) {
  const isHere = (group) => group.classList.contains("here");
  const ordered = [...groups.filter((group) => !isHere(group)), ...groups.filter(isHere)];
  svg.append(...ordered, ...ordered.map((group) => group.label));
}

/* An arc from a head to a dependent at x, with a tip there. */
function drawArc(group, x, to, depth) {
  const side = Math.sign(to - x) * Math.min(8, Math.abs(to - x) / 3), near = x + side / 2, far = to - side / 2;
  const path = `M ${far} 0 C ${far} ${depth * 0.7}, ${far - side} ${depth}, ${far - side * 2} ${depth} L ${near + side * 2} ${depth} C ${near + side} ${depth}, ${near} ${depth * 0.7}, ${near} 5`;
  group.append(drawn("path", { class: "arc", d: path }), drawn("path", { class: "tip", d: `M ${near} 0 l -3.5 6 h 7 z` }));
}
