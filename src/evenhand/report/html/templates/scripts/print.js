/* On paper: the summary, and the first sentences of the list. */
const PRINTED = 25; /* printed tokens of a sentence before its first unit */

function buildPrint() {
  const node = make("label", "", "Sentences to print: "), select = make("select");
  for (const count of [0, 10, 20, 50]) select.append(make("option", "", String(count)));
  select.value = "20";
  select.id = "sentences-to-print";
  node.append(select);
  byId("keys").after(node);
  window.addEventListener("beforeprint", () => drawPrint(Number(select.value)));
}

/* Each sentence once, with the listed units in it, and the systems that have them wrong. */
function drawPrint(count) {
  const units = new Map();
  for (const unit of shown) {
    const sentence = data.sentence[unit];
    if (!units.has(sentence) && units.size === count) break;
    units.set(sentence, [...(units.get(sentence) ?? []), unit]);
  }
  const nodes = [...units].map(([sentence, sentenceUnits]) => printed(data.sentences[sentence], sentenceUnits));
  byId("print").replaceChildren(make("h2", "", `The first ${counted(nodes.length, "sentence")} of ${counted(shown.length, "unit")}`), ...nodes);
}

function printed(sentence, units) {
  const node = make("div", "printed"), text = make("p"), isMarked = (at) => units.some((unit) => isOwn(unit, at));
  const first = Math.max(0, Math.min(...units.map((unit) => data.start[unit])) - PRINTED), last = Math.min(sentence.t.length, first + 4 * PRINTED);
  for (let at = first; at < last; at++) text.append(isMarked(at) ? make("b", "", visible(sentence.t[at])) : visible(sentence.t[at]), data.space);
  node.append(make("p", "place", visible(placeOf(units[0]))), text);
  for (const unit of units.slice(0, 3)) {
    const wrong = [...systems.keys()].filter((system) => !classOf(unit, system).right), line = make("p");
    const names = wrong.slice(0, MOST_COLUMNS).map((system) => (systems.length > 1 ? `${systems[system]}: ` : "") + markOf(classOf(unit, system)).filter((_, at) => at !== 1).join(" "));
    line.append(make("b", "", visible(keyword(unit)).slice(0, 80)), ` ${visible([goldText(unit) || "not in the gold standard", ...names].join("; "))}`);
    if (wrong.length > MOST_COLUMNS) line.append(`; ${wrong.length} of ${systems.length} systems wrong`);
    node.append(line);
  }
  return node;
}
