/* One unit: its sentence, and a lane for the gold standard and for every system. */
const WINDOW = 400; /* maximum number of tokens, around the unit */

function drawDetail(unit) {
  const lanes = make("div", "lanes"), place = make("p", "place"), sentence = sentenceOf(unit);
  lanes.tabIndex = 0;
  lanes.setAttribute("role", "group");
  lanes.setAttribute("aria-label", "The annotation of the sentence");
  place.append(make("bdi", "", `${visible(placeOf(unit))}, sentence ${sentence.n}, document `), make("bdi", "", visible(sentence.d)), offsetsOf(unit));
  detail.replaceChildren(place, ...factsOf(unit), lanes);
  if (data.drawing === "records") return drawRecords(lanes, sentence, unit);
  const part = excerpt(sentence, unit);
  if (isNarrow.matches) return drawInline(lanes, part, unit);
  const grid = make("div", `grid-lanes${data.space ? "" : " running"}`);
  if (isRightToLeft(sentence.t)) grid.dir = "rtl";
  lanes.append(grid);
  ({ spans: drawSpans, links: drawLinks, brackets: drawBrackets, mentions: drawMentions, words: hasHeads(sentence) ? drawArcsOf : drawLabels })[data.drawing](grid, part, unit);
  const here = grid.querySelector(".token.here");
  if (here && (here.offsetLeft < 0 || here.offsetLeft + here.offsetWidth > lanes.clientWidth)) lanes.scrollLeft = here.offsetLeft - lanes.clientWidth / 2;
}

/* The offsets of a unit in its document, as in all other outputs. */
const offsetsOf = (unit) => (data.offsets && !isNowhere(unit) ? `, characters ${data.offsets[0][unit]} to ${data.offsets[1][unit]}` : "");

const isRightToLeft = (tokens) => tokens.filter((token) => /[\u0590-\u08ff\ufb1d-\ufefc]/.test(token)).length * 2 > tokens.filter((token) => /\p{L}/u.test(token)).length;

/* Copying a sentence copies its text, without labels and line breaks. */
document.addEventListener("copy", (event) => {
  const selection = getSelection(), tokens = [...detail.querySelectorAll(".token")].filter((node) => selection.containsNode(node, true));
  if (tokens.length < 2 || !tokens.every((node) => node.closest(".lanes"))) return;
  event.clipboardData.setData("text/plain", tokens.map((node) => node.textContent).join(data.space));
  event.preventDefault();
});

function factsOf(unit) {
  const own = make("dl"), theirs = make("dl", systems.length > 4 ? "many" : "");
  const fact = (facts, name, node) => { const pair = make("div"); pair.append(make("dt", "", name), node); facts.append(pair); return pair; };
  fact(own, "unit", make("dd", "", visible(endsOf(unit) ?? words(unit)) + (isNowhere(unit) ? " (has no place in the text)" : "")));
  const antecedents = data.antecedents ? data.antecedents[unit] : null;
  fact(own, "gold", make("dd", "", (visible(goldText(unit)) || "not in the gold standard") + (antecedents && antecedents[0] ? `, to “${visible(antecedents[0])}”` : "")));
  for (const system of systems.keys()) {
    const dd = make("dd");
    dd.append(verdict(unit, system));
    if (isMasked && !classOf(unit, system).right) dd.append(make("bdi", "", `: a reader sees “${visible(legible(unit, system))}”`));
    const partner = partnerText(unit, system);
    if (partner) dd.append(make("bdi", "", ` ${partner}`));
    const score = scoreText(unit, system);
    if (score) dd.append(make("span", "score", ` score ${score}`));
    fact(theirs, shortNames[system], dd).firstChild.title = visible(systems[system]);
  }
  return [own, theirs];
}

/* Whether words have arcs to their heads, which need the whole sentence. */
const hasHeads = (sentence) => data.drawing === "words" && sentence.s.some((side) => side.some((row) => row && row.length > 1));

/* The visible part of a long sentence: its first and last token, and the annotation of each side. */
function excerpt(sentence, unit) {
  const length = sentence.t.length || sentence.s.flat().reduce((most, bar) => Math.max(most, bar[2]), data.end[unit]); /* a file may have no text */
  const start = data.start[unit], isWhole = length <= WINDOW || hasHeads(sentence);
  const end = Math.min(length, Math.max(start + WINDOW / 2, Math.min(data.end[unit], start + WINDOW)));
  return { t: sentence.t, s: sentence.s, l: sentence.l ?? [], length, first: isWhole ? 0 : Math.max(0, start - WINDOW / 2), last: isWhole ? length : end };
}

/* The string of the unit that a unit was matched with: an antecedent, a head, or a span. */
function matchedText(unit, system) {
  if (data.antecedents) return data.antecedents[unit][system + 1] ?? "";
  const partner = data.partner[system][unit];
  if (partner < 0) return "";
  const start = Math.floor(partner / 4294967296), end = partner % 4294967296;
  return isOfEdges ? (sentenceOf(unit).t[start] ?? "") : spanText(sentenceOf(unit), [0, start, end]);
}

function partnerText(unit, system) {
  const matched = matchedText(unit, system);
  if (!matched || (classOf(unit, system).right && !data.antecedents)) return "";
  const relation = data.antecedents ? "to" : isOfEdges ? "of" : data.surplus[unit] ? "over the gold span" : "matched with";
  return hasWords ? `${relation} “${visible(matched)}”` : `${relation} ${matched}`;
}
