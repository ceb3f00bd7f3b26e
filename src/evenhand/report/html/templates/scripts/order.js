/* The order of units: that of the text, or one that the address asks for. */
function sorted(found, wanted) {
  const { sort } = wanted;
  if (!sort) return found;
  if (sort === "different") return byDifferences(found, wanted);
  if (sort === "solved") return byNumber(found, solvers);
  if (sort.startsWith("system:")) {
    const system = systems.indexOf(sort.slice("system:".length));
    if (system < 0) return found;
    const rank = classes.map((each) => [each.right ? 1 : 0, each.kind, each.predicted]);
    const place = new Map(rank.map((_, code) => code).sort((one, other) => compared(rank[one], rank[other])).map((code, at) => [code, at]));
    return byNumber(found, (unit) => place.get(data.class[system][unit]));
  }
  const text = { unit: (unit) => words(unit).toLowerCase(), gold: told }[sort];
  if (!text) return found;
  ranks[sort] ??= ranked(text);
  return byNumber(found, (unit) => ranks[sort][unit]);
}

const ranks = {};

/* The rank of every unit by some text of it; sorting texts takes a while, so it is done once. */
function ranked(text) {
  const texts = Array.from({ length: size }, (_, unit) => text(unit)), names = [...new Set(texts)].sort();
  const place = new Map(names.map((name, at) => [name, at]));
  return texts.map((name) => place.get(name));
}

function compared(one, other) {
  const at = one.findIndex((value, place) => value !== other[place]);
  return at < 0 ? 0 : one[at] < other[at] ? -1 : 1;
}

const byNumber = (found, number) => [...found].sort((one, other) => number(one) - number(other) || one - other);

/* Sentences in which systems (those of a pair, or all) answer most units differently come first. */
function byDifferences(found, wanted) {
  const pair = [wanted.from, wanted.to].map((name) => systems.indexOf(name)).filter((each) => each >= 0);
  const [first, ...others] = pair.length === 2 ? pair : [...systems.keys()];
  const counts = new Array(data.sentences.length).fill(0);
  for (let unit = 0; unit < size; unit++) if (others.some((each) => data.answer[each][unit] !== data.answer[first][unit])) counts[data.sentence[unit]]++;
  return byNumber(found, (unit) => -counts[data.sentence[unit]]);
}
