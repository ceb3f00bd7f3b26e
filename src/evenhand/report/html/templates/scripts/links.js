/* Links between spans, as arcs below the bars of their ends. */
/* Links with their ends; `here` marks the link of the unit or its partner. */
function linksOf(part, unit, number) {
  const bars = part.s[number], partner = number ? data.partner[number - 1][unit] : -1, surplus = data.surplus[unit];
  return (part.l[number] ?? []).map(([code, head, tail]) => {
    const one = bars[head], other = bars[tail] ?? one;
    const start = Math.min(one[1], other[1]), end = Math.max(one[2], other[2]);
    const own = code === data.label[unit] && start === data.start[unit] && end === data.end[unit] && (number === 0) === !surplus;
    const matched = !surplus && partner >= 0 && Math.floor(partner / 4294967296) === start && partner % 4294967296 === end;
    const outcome = number ? classOf(unit, number - 1) : null;
    const is = own || (matched && label(code) === outcome.predicted);
    const wrong = number > 0 && (is ? !outcome.right : !hasLink(part, code, one, other));
    return { one, other, here: is, wrong, text: (is && outcome ? `${outcome.kind} ` : "") + label(code) + (tail < 0 ? " (tail elsewhere)" : "") };
  });
}

/* Whether the gold standard has a link of this type between the same spans; under fair and strict measures, spans have labels, too. */
function hasLink(part, code, one, other) {
  const from = ["fair", "strict"].includes(data.by) ? 0 : 1;
  const isSame = (span, gold) => [0, 1, 2].slice(from).every((place) => span[place] === gold[place]);
  return (part.l[0] ?? []).some(([type, head, tail]) => type === code && isSame(one, part.s[0][head]) && isSame(other, part.s[0][tail] ?? part.s[0][head]));
}

/* The link of a unit: of the gold standard or, if it has none, of a system. */
function linkOf(unit) {
  const { t, s, l } = sentenceOf(unit);
  return l ? s.flatMap((side, number) => linksOf({ t, s, l }, unit, number)).find((each) => each.here) : undefined;
}

/* The words of both ends of a link; null if units are not links. */
function endsOf(unit) {
  const link = linkOf(unit), part = sentenceOf(unit);
  return link ? `${spanText(part, link.one).trim()} → ${spanText(part, link.other).trim()}` : null;
}

/* The bounds of a unit: of both ends of a link, or of the unit. */
function boundsOf(unit) {
  const link = linkOf(unit);
  return link ? [link.one, link.other].map(([, from, to]) => [from, to]) : [[data.start[unit], data.end[unit]]];
}

/* The links of every side with an end in the visible part of the text. */
function visibleLinks(part, unit) {
  const inSight = ([, from, to]) => to > part.first && from < part.last;
  return part.s.map((side, number) => linksOf(part, unit, number).filter((link) => inSight(link.one) || inSight(link.other)));
}

function endBars(part, links) {
  return part.s.map((side, number) => side.map((span) => {
    const [code, from, to, ...gaps] = span, isEnd = links[number].some((link) => link.here && (link.one === span || link.other === span));
    return { start: from, end: to, gaps, text: label(code), color: colorOf(code), classes: isEnd ? "here" : "" };
  }));
}

function drawLinks(grid, part, unit) {
  const links = visibleLinks(part, unit);
  const rowAfter = drawBars(grid, part, unit, endBars(part, links), 1);
  const drawings = links.map((side, number) => {
    const words = side.map((link) => visible(`${spanText(part, link.one)} ${link.text} ${spanText(part, link.other)}${link.wrong ? " (wrong)" : ""}`)).join("; ");
    const svg = drawn("svg", { class: "arcs", role: "img", "aria-label": `${number ? systems[number - 1] : "gold"}: ${words}` });
    put(grid, svg, rowAfter[number] - 1, 2, -1);
    return svg;
  });
  const left = drawings[0].getBoundingClientRect().left;
  const boxes = [...grid.querySelectorAll(".token")].map((node) => node.getBoundingClientRect());
  const middle = ([, from, to]) => {
    const inside = (at) => boxes[Math.min(Math.max(at - part.first, 0), boxes.length - 1)];
    return (inside(from).left + inside(to - 1).right) / 2 - left;
  };
  drawings.forEach((svg, number) => drawLinkArcs(svg, links[number].map((link) => ({ ...link, from: middle(link.one), to: middle(link.other) }))));
}

const spanText = (part, [, from, to]) => (hasWords ? part.t.slice(from, to).join(data.space) : tokenNumbers(from, to));

/* Arcs from head to tail, each below all arcs between its ends. */
function drawLinkArcs(svg, arcs) {
  const low = (arc) => Math.min(arc.from, arc.to), high = (arc) => Math.max(arc.from, arc.to);
  arcs.sort((one, other) => high(one) - low(one) - (high(other) - low(other)));
  for (const arc of arcs) Object.assign(arc, { text: (arc.wrong ? "✗ " : "") + visible(arc.text) }, { room: roomOf(arc.from, arc.to, `${arc.wrong ? "✗ " : ""}${arc.text}`) });
  arcs.forEach((arc, number) => { arc.level = freeLevel(arc, arcs.slice(0, number), (under) => low(under) <= high(arc) && high(under) >= low(arc)); });
  svg.setAttribute("height", 18 * Math.max(0, ...arcs.map((arc) => arc.level)) + 12);
  const groups = arcs.map((arc) => {
    const depth = 18 * arc.level, width = arc.to - arc.from, group = drawn("g", { class: `${arc.here ? "here" : ""}${arc.wrong ? " wrong wrong-label" : ""}` });
    const far = width ? arc.from : arc.from - 8, near = width ? arc.to : arc.to + 8, bend = Math.sign(near - far) * Math.min(8, Math.abs(near - far) / 3);
    const path = `M ${far} 0 C ${far} ${depth * 0.7}, ${far + bend} ${depth}, ${far + bend * 2} ${depth} L ${near - bend * 2} ${depth} C ${near - bend} ${depth}, ${near} ${depth * 0.7}, ${near} 5`;
    group.append(drawn("path", { class: "arc", d: path }), drawn("path", { class: "tip", d: `M ${near} 0 l -3.5 6 h 7 z` }));
    addLabel(group, (far + near) / 2, depth + 4, arc.text);
    return group;
  });
  putGroups(svg, groups);
}
