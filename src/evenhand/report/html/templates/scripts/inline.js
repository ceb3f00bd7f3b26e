/* On a narrow screen: the text of every side with its labels between the words, in lines that wrap. */
const isNarrow = matchMedia("(max-width: 640px)");

function drawInline(lanes, part, unit) {
  const links = data.drawing === "links" ? visibleLinks(part, unit) : null;
  const notes = notesOf(part, unit, links);
  part.s.forEach((side, number) => {
    const text = make("p", "inline"), name = make("b", "side", sideNames[number]);
    if (isRightToLeft(part.t)) text.dir = "rtl";
    text.append(name, " ");
    for (let at = part.first; at < part.last; at++) text.append(...notes[number][at].before, inlineToken(part, at, unit, notes[number][at].bar), ...notes[number][at].after, at + 1 < part.last ? data.space : "");
    lanes.append(text);
    for (const link of links ? links[number] : []) lanes.append(make("p", `inline link${link.here ? " here" : ""}${link.wrong ? " wrong" : ""}`, visible(`${spanText(part, link.one)} → ${spanText(part, link.other)}: ${link.text}`)));
  });
}

function inlineToken(part, at, unit, bar) {
  const node = make("bdi", `token${isOwn(unit, at) ? " here" : ""}${bar ? " covered" : ""}`, tokenText(part, at));
  if (bar) node.style.background = bar.color;
  return node;
}

/* For every side and token, the notes before and after it, and the shortest bar over it. */
function notesOf(part, unit, links) {
  const empty = () => Array.from({ length: part.length }, () => ({ before: [], after: [], bar: null }));
  const bars = { spans: () => spanBars(part, unit), mentions: () => mentionBars(part, unit), links: () => endBars(part, links) }[data.drawing];
  if (bars) return bars().map((side) => barNotes(side, empty(), part));
  return part.s.map((side, number) => (data.drawing === "brackets" ? bracketNotes(bracketsOf(part, unit, number), empty(), part) : wordNotes(part, number, empty(), unit)));
}

const chip = (text, classes = "") => make("bdi", `chip ${classes}`, visible(text));

function barNotes(side, notes, part) {
  for (const bar of [...side].sort((one, other) => other.end - other.start - (one.end - one.start))) {
    const start = Math.max(bar.start, part.first), end = Math.min(bar.end, part.last);
    for (let at = start; at < end; at++) if (!bar.gaps.includes(at)) notes[at].bar = bar;
    if (start >= end) continue;
    const node = chip(bar.text, bar.classes);
    node.style.background = bar.color;
    node.title = visible(bar.title ?? bar.text);
    notes[end - 1].after.unshift(node);
  }
  return notes;
}

function bracketNotes(tree, notes, part) {
  for (const node of tree) {
    const classes = `${node.mark ? "wrong" : ""}${node.here ? " here" : ""}`;
    notes[Math.max(node.from, part.first)].before.push(chip(`(${label(node.code)} `, classes));
    notes[Math.min(node.to, part.last) - 1].after.unshift(chip(")", classes));
  }
  return notes;
}

function wordNotes(part, number, notes, unit) {
  if (hasHeads(part)) {
    for (const arc of arcsOf(part.s[number], number ? part.s[0] : null)) {
      const head = arc.head >= 0 ? ` ← ${part.t[arc.head]}` : "", classes = [arc.ghost ? "ghost" : "", arc.wrongHead || arc.wrongLabel ? "wrong" : "", arc.at === data.start[unit] ? "here" : ""];
      notes[arc.at].after.push(chip(label(arc.code) + head, classes.filter(Boolean).join(" ")));
    }
    return notes;
  }
  for (let at = part.first; at < part.last; at++) notes[at].after.push(chip(tagText(part.s[number][at]), tagClasses(part, number, at, unit)));
  return notes;
}
