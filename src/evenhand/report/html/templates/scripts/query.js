/* The units that the address of the page requests. */
const FIELDS = ["system", "kind", "gold", "except_gold", "predicted", "label", "from", "to", "change", "before", "after", "what", "different", "solved", "right", "of", "shared", "slice", "text", "sort"];

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; } /* an address that was cut or mistyped */
}

/* The filters of the address; errors by default, if there are any. */
function state() {
  const parsedFilters = parsed(location.hash), asks = FIELDS.some((key) => key !== "sort" && key in parsedFilters);
  return asks || !classes.some(isWrong) ? parsedFilters : { ...parsedFilters, right: "0" };
}

function parsed(hash) {
  const [name, ...rest] = hash.slice(1).split("?"), fields = {};
  if (name !== "units") return fields;
  for (const part of rest.join("?").split("&").filter(Boolean)) {
    const [key, ...value] = part.split("=");
    if (FIELDS.includes(key) || key === "unit") fields[key] = decoded(value.join("="));
  }
  return fields;
}

function address(filters) {
  const parts = [...FIELDS, "unit"].filter((key) => filters[key] !== undefined && filters[key] !== null);
  return "#units" + (parts.length ? "?" + parts.map((key) => `${key}=${encodeURIComponent(filters[key])}`).join("&") : "");
}

/* Filters without a control, in words. */
function described(filters) {
  const descriptions = {
    of: (value) => (value === "gold" ? "in the gold standard" : "in the system's output"),
    shared: () => "that systems are compared on",
    different: () => "that the two treat differently",
    except_gold: (value) => `gold ${data.label_name} not ${value.split("\t").join(", ")}`,
    label: (value) => `with the ${data.label_name} ${value}`,
    before: (value) => `before: ${value}`,
    after: (value) => `after: ${value}`,
    what: (value) => `changed: ${value}`,
  };
  return FIELDS.filter((key) => filters[key] !== undefined && !form.querySelector(`[name=${key}]`)).map((key) => (descriptions[key] ?? ((value) => `${key}: ${value}`))(filters[key]));
}

/* The conditions of a slice, NAME=VALUE or two joined by " & "; null if the page does not have it. */
function testsOfSlice(text) {
  const at = text.indexOf("="), name = text.slice(0, at), slicing = data.slices.find(([known]) => known === name);
  const value = slicing ? slicing[1].indexOf(text.slice(at + 1)) : -1;
  if (value >= 0) return [(unit) => slicing[2][unit] === value];
  if (name === data.label_name && data.labels.includes(text.slice(at + 1))) return [(unit) => label(data.label[unit]) === text.slice(at + 1)];
  const parts = text.includes(" & ") ? text.split(" & ").map(testsOfSlice) : [null];
  return parts.includes(null) ? null : parts.flat();
}

/* One condition per field; a unit is listed if all are true. */
function conditions(filters) {
  const tests = [];
  for (const key of ["system", "from", "to"]) if (filters[key] !== undefined && !systems.includes(filters[key])) return [() => false];
  const system = systems.indexOf(filters.system);
  const some = (test) => (system >= 0 ? (unit) => test(classOf(unit, system), unit) : (unit) => systems.some((_, each) => test(classOf(unit, each), unit)));
  if (filters.kind !== undefined) { const kinds = new Set(filters.kind.split(",")); tests.push(some((outcome) => kinds.has(outcome.kind))); }
  const pair = filters.from !== undefined && filters.to !== undefined;
  if (filters.gold !== undefined) tests.push(pair ? (unit) => goldText(unit) === filters.gold : filters.of === "gold" && system < 0 ? (unit) => label(data.label[unit]) === filters.gold : some((outcome) => (filters.gold === "" ? !outcome.hasGold : outcome.hasGold && outcome.gold === filters.gold)));
  if (filters.except_gold !== undefined) { const labels = new Set(filters.except_gold.split("\t")); tests.push(some((outcome) => outcome.hasGold && !labels.has(outcome.gold))); }
  if (filters.predicted !== undefined) tests.push(some((outcome) => (filters.predicted === "" ? !outcome.hasPredicted : outcome.hasPredicted && outcome.predicted === filters.predicted)));
  if (filters.label !== undefined) tests.push((unit) => label(data.label[unit]) === filters.label || (!pair && some((outcome) => outcome.gold === filters.label || outcome.predicted === filters.label)(unit)));
  if (filters.right === "0") tests.push(some(isWrong));
  if (filters.right === "1") tests.push(some((outcome) => outcome.right));
  if (filters.of === "gold") tests.push((unit) => !data.surplus[unit]);
  if (filters.of === "system") tests.push(some((outcome) => outcome.hasPredicted));
  if (filters.slice !== undefined) {
    const inSlice = testsOfSlice(filters.slice);
    if (!inSlice) return [() => false];
    tests.push(...inSlice);
  }
  if (filters.shared !== undefined) tests.push(isShared);
  if (filters.solved !== undefined) tests.push((unit) => isShared(unit) && (filters.solved === "some" ? solvers(unit) > 0 : solvers(unit) === Number(filters.solved)));
  if (pair) {
    const a = systems.indexOf(filters.from), b = systems.indexOf(filters.to);
    tests.push((unit) => isShared(unit) && data.answer[a][unit] !== data.answer[b][unit]);
    if (filters.change) tests.push((unit) => change(unit, a, b) === filters.change);
    if (filters.before !== undefined) tests.push((unit) => predictionText(classOf(unit, a)) === filters.before);
    if (filters.after !== undefined) tests.push((unit) => predictionText(classOf(unit, b)) === filters.after);
    if (filters.what !== undefined) tests.push((unit) => changed(unit, a, b) === filters.what);
  }
  if (filters.text) { const text = filters.text.toLowerCase(); tests.push((unit) => textOf(unit).includes(text)); }
  return tests;
}

function select(filters) {
  const tests = conditions(filters);
  const units = [];
  for (let unit = 0; unit < size; unit++) if (tests.every((test) => test(unit))) units.push(unit);
  const system = systems.indexOf(filters.system);
  if (filters.of !== "system" || data.drawing !== "spans" || system < 0) return units;
  const seen = new Set(); /* a span of the system may be matched with several of the gold standard */
  return units.filter((unit) => {
    const bounds = isNowhere(unit) ? `nowhere ${unit}` : data.surplus[unit] ? `${data.start[unit]}-${data.end[unit]}` : data.partner[system][unit];
    const key = `${data.sentence[unit]}|${bounds}|${classOf(unit, system).predicted}`;
    return !seen.has(key) && seen.add(key);
  });
}
