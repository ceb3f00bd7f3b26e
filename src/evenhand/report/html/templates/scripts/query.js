/* Which units the address of the page asks for. */
const FIELDS = ["system", "kind", "gold", "predicted", "label", "from", "to", "change", "before", "after", "what", "different", "solved", "right", "of", "shared", "text", "sort"];

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; } /* an address that was cut or mistyped */
}

/* What the address asks for: errors, if it asks for nothing and there are any. */
function state() {
  const found = parsed(location.hash), asks = FIELDS.some((key) => key !== "sort" && key in found);
  return asks || !classes.some(isWrong) ? found : { ...found, right: "0" };
}

function parsed(hash) {
  const [name, ...rest] = hash.slice(1).split("?"), found = {};
  if (name !== "units") return found;
  for (const part of rest.join("?").split("&").filter(Boolean)) {
    const [key, ...value] = part.split("=");
    if (FIELDS.includes(key) || key === "unit") found[key] = decoded(value.join("="));
  }
  return found;
}

function address(wanted) {
  const parts = [...FIELDS, "unit"].filter((key) => wanted[key] !== undefined && wanted[key] !== null);
  return "#units" + (parts.length ? "?" + parts.map((key) => `${key}=${encodeURIComponent(wanted[key])}`).join("&") : "");
}

/* What is asked for beyond the controls, in words. */
function described(wanted) {
  const said = {
    of: (value) => (value === "gold" ? "in the gold standard" : "in the system's output"),
    shared: () => "that systems are compared on",
    different: () => "that the two treat differently",
    label: (value) => `with the ${data.label_name} ${value}`,
    before: (value) => `before: ${value}`,
    after: (value) => `after: ${value}`,
    what: (value) => `changed: ${value}`,
  };
  return FIELDS.filter((key) => wanted[key] !== undefined && !form.querySelector(`[name=${key}]`)).map((key) => (said[key] ?? ((value) => `${key}: ${value}`))(wanted[key]));
}

/* One condition a field; a unit is listed if all hold. */
function conditions(wanted) {
  const tests = [];
  for (const key of ["system", "from", "to"]) if (wanted[key] !== undefined && !systems.includes(wanted[key])) return [() => false];
  const system = systems.indexOf(wanted.system);
  const some = (test) => (system >= 0 ? (unit) => test(classOf(unit, system), unit) : (unit) => systems.some((_, each) => test(classOf(unit, each), unit)));
  if (wanted.kind !== undefined) { const kinds = new Set(wanted.kind.split(",")); tests.push(some((found) => kinds.has(found.kind))); }
  const pair = wanted.from !== undefined && wanted.to !== undefined;
  if (wanted.gold !== undefined) tests.push(pair ? (unit) => told(unit) === wanted.gold : wanted.of === "gold" && system < 0 ? (unit) => label(data.label[unit]) === wanted.gold : some((found) => (wanted.gold === "" ? !found.hasGold : found.hasGold && found.gold === wanted.gold)));
  if (wanted.predicted !== undefined) tests.push(some((found) => (wanted.predicted === "" ? !found.hasPredicted : found.hasPredicted && found.predicted === wanted.predicted)));
  if (wanted.label !== undefined) tests.push((unit) => label(data.label[unit]) === wanted.label || (!pair && some((found) => found.gold === wanted.label || found.predicted === wanted.label)(unit)));
  if (wanted.right === "0") tests.push(some(isWrong));
  if (wanted.right === "1") tests.push(some((found) => found.right));
  if (wanted.of === "gold") tests.push((unit) => !data.surplus[unit]);
  if (wanted.of === "system") tests.push(some((found) => found.hasPredicted));
  if (wanted.shared !== undefined) tests.push(isShared);
  if (wanted.solved !== undefined) tests.push((unit) => isShared(unit) && (wanted.solved === "some" ? solvers(unit) > 0 : solvers(unit) === Number(wanted.solved)));
  if (pair) {
    const a = systems.indexOf(wanted.from), b = systems.indexOf(wanted.to);
    tests.push((unit) => isShared(unit) && data.answer[a][unit] !== data.answer[b][unit]);
    if (wanted.change) tests.push((unit) => change(unit, a, b) === wanted.change);
    if (wanted.before !== undefined) tests.push((unit) => said(classOf(unit, a)) === wanted.before);
    if (wanted.after !== undefined) tests.push((unit) => said(classOf(unit, b)) === wanted.after);
    if (wanted.what !== undefined) tests.push((unit) => changed(unit, a, b) === wanted.what);
  }
  if (wanted.text) { const text = wanted.text.toLowerCase(); tests.push((unit) => textOf(unit).includes(text)); }
  return tests;
}

function select(wanted) {
  const tests = conditions(wanted);
  const found = [];
  for (let unit = 0; unit < size; unit++) if (tests.every((test) => test(unit))) found.push(unit);
  const system = systems.indexOf(wanted.system);
  if (wanted.of !== "system" || data.drawing !== "spans" || system < 0) return found;
  const seen = new Set(); /* a span of the system may be matched with several of the gold standard */
  return found.filter((unit) => {
    const bounds = isNowhere(unit) ? `nowhere ${unit}` : data.surplus[unit] ? `${data.start[unit]}-${data.end[unit]}` : data.partner[system][unit];
    const key = `${data.sentence[unit]}|${bounds}|${classOf(unit, system).predicted}`;
    return !seen.has(key) && seen.add(key);
  });
}
