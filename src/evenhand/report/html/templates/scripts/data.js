/* The units, unpacked: columns by unit, and the names of codes. */
let data;
try { data = await unpack(); } catch (problem) { status.textContent = `This browser cannot unpack the units (${problem.message}). Try a newer one.`; return; }
const size = data.sentence.length, systems = data.systems;
const shortNames = data.short_names.map(visible);
const sideNames = ["gold", ...shortNames], sideTitles = ["gold", ...systems.map(visible)];
const rightKinds = new Set(data.right), absentKinds = new Set(data.absent), unscoredKinds = new Set(data.unscored);
const wrongKinds = data.kinds.filter((kind) => !rightKinds.has(kind) && !absentKinds.has(kind) && !unscoredKinds.has(kind));
const label = (code) => (code < 0 ? "" : data.labels[code]);
const classes = data.classes.map(([kind, gold, predicted]) => {
  const name = data.kinds[kind];
  const shown = predicted < 0 ? name : data.has_verdicts ? `${name} ${label(predicted)}` : label(predicted);
  return { kind: name, gold: label(gold), predicted: label(predicted), hasGold: gold >= 0, hasPredicted: predicted >= 0, right: rightKinds.has(name), absent: absentKinds.has(name), shown };
});
/* The confidence of the unit of a system, if it has one. */
const scoreOf = (unit, system) => data.score?.[system][unit] ?? null;
const scoreText = (unit, system, digits = 3) => (scoreOf(unit, system) === null ? "" : String(Number(scoreOf(unit, system).toPrecision(digits))).replace("-", "−"));
const isWrong = (outcome) => !outcome.right && !unscoredKinds.has(outcome.kind);
const classOf = (unit, system) => classes[data.class[system][unit]];
const sentenceOf = (unit) => data.sentences[data.sentence[unit]];
const isNowhere = (unit) => unit in data.nowhere;
const hasWords = data.has_words;
/* Tokens by their numbers, from 1; files of tags alone have no words. */
const tokenNumbers = (start, end) => (end - start > 1 ? `tokens ${start + 1}–${end}` : `token ${start + 1}`);
const stringOf = (unit) => data.nowhere[unit] ?? (hasWords ? sentenceOf(unit).t.slice(data.start[unit], data.end[unit]).join(data.space).trimEnd() : ""); /* pieces of a text include the spaces after them */
const words = (unit) => stringOf(unit) || (hasWords ? "" : `sentence ${sentenceOf(unit).n}, ${tokenNumbers(data.start[unit], data.end[unit])}`);
/* The text around a unit; without words, the gold labels. */
const around = (unit, from, to) => (isNowhere(unit) ? "" : hasWords ? sentenceOf(unit).t.slice(from, to).join(data.space) : sentenceOf(unit).g.slice(from, to).join(" "));
const texts = new Array(data.sentences.length);
const textOf = (unit) => (texts[data.sentence[unit]] ??= hasWords ? sentenceOf(unit).t.join(data.space).toLowerCase() : `sentence ${sentenceOf(unit).n}: ${sentenceOf(unit).g.join(" ")}`.toLowerCase());
const solvers = (unit) => systems.reduce((count, _, system) => count + (classOf(unit, system).right ? 1 : 0), 0);
/* Whether systems are compared on a unit: a gold unit or an extra unit that all systems are scored on. */
const isShared = (unit) => !systems.some((_, system) => unscoredKinds.has(classOf(unit, system).kind)) && (!data.surplus[unit] || systems.some((_, system) => !classOf(unit, system).absent));

function headAndRelation(unit, system) {
  const row = sentenceOf(unit).s[system + 1][data.start[unit]];
  return row ?? [-1, -9];
}

/* Whether units are edges of enhanced dependencies, whose heads are their partners. */
const isOfEdges = ["elas", "eulas"].includes(data.by);

function changed(unit, a, b) {
  const [relationA, headA] = isOfEdges ? [classOf(unit, a).predicted, data.partner[a][unit]] : headAndRelation(unit, a);
  const [relationB, headB] = isOfEdges ? [classOf(unit, b).predicted, data.partner[b][unit]] : headAndRelation(unit, b);
  const head = headA !== headB, relation = relationA !== relationB;
  return head && relation ? "both" : relation ? "relation" : "head"; /* heads may differ in words that the gold standard lacks */
}

/* Leakage: the text of a unit that a reader sees if everything that a system marks is hidden. */
const isMasked = rightKinds.has("covered");
function legible(unit, system) {
  const { t, s } = sentenceOf(unit), shown = [];
  for (let at = data.start[unit]; at < data.end[unit]; at++) {
    const isHidden = s[system + 1].some(([, from, to, ...gaps]) => at >= from && at < to && !gaps.includes(at));
    if (!isHidden) shown.push(t[at]);
    else if (shown.at(-1) !== "█") shown.push("█");
  }
  return shown.join(data.space || (shown.includes("█") ? " " : "")).trim();
}

/* The prediction of a system for a unit, as transitions distinguish predictions. */
const predictionText = (outcome) => (data.has_label_answers ? outcome.shown : outcome.kind);

const goldText = (unit) => (data.surplus[unit] && !data.antecedents ? "" : label(data.label[unit]));
const change = (unit, a, b) => (classOf(unit, b).right ? "correction" : classOf(unit, a).right ? "new_error" : "changed_error");

const placeOf = (unit) => (data.line[unit] === null ? sentenceOf(unit).p : `${sentenceOf(unit).p}:${data.line[unit]}`);
