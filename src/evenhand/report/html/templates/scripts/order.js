/* The order of units: the order of the text, or the order in the address. */
function sorted(units, filters) {
  const { sort } = filters;
  if (!sort) return units;
  if (sort === "different") return byDifferences(units, filters);
  if (sort === "solved") return byNumber(units, solvers);
  if (sort.startsWith("system:")) {
    const system = systems.indexOf(sort.slice("system:".length));
    if (system < 0) return units;
    const rank = classes.map((each) => [each.right ? 1 : 0, each.kind, each.predicted]);
    const place = new Map(rank.map((_, code) => code).sort((one, other) => compared(rank[one], rank[other])).map((code, at) => [code, at]));
    return byNumber(units, (unit) => place.get(data.class[system][unit]));
  }
  const text = { unit: (unit) => words(unit).toLowerCase(), gold: goldText }[sort];
  if (!text) return units;
  ranks[sort] ??= ranked(text);
  return byNumber(units, (unit) => ranks[sort][unit]);
}

const ranks = {};

/* The rank of every unit by one of its texts. Sorting texts is slow, so it is done once. */
function ranked(text) {
  const texts = Array.from({ length: size }, (_, unit) => text(unit)), names = [...new Set(texts)].sort();
  const place = new Map(names.map((name, at) => [name, at]));
  return texts.map((name) => place.get(name));
}

function compared(one, other) {
  const at = one.findIndex((value, place) => value !== other[place]);
  return at < 0 ? 0 : one[at] < other[at] ? -1 : 1;
}

const byNumber = (units, number) => [...units].sort((one, other) => number(one) - number(other) || one - other);

/* Sentences with the most differences between systems (of a pair, or all) come first. */
function byDifferences(units, filters) {
  const pair = [filters.from, filters.to].map((name) => systems.indexOf(name)).filter((each) => each >= 0);
  const [first, ...others] = pair.length === 2 ? pair : [...systems.keys()];
  const counts = new Array(data.sentences.length).fill(0);
  for (let unit = 0; unit < size; unit++) if (others.some((each) => data.answer[each][unit] !== data.answer[first][unit])) counts[data.sentence[unit]]++;
  return byNumber(units, (unit) => -counts[data.sentence[unit]]);
}
