/* The filters: one control per field; controls write the address. */
const UNSET = { right: "=any" }; /* the value of a control without a value in the address, unless it is "any" */

/* The controls that people use most come first; the others are folded. */
function control(place, key, title, options, first = "any") {
  const node = make("label", "", title), select = make("select");
  select.name = key;
  if (first) {
    const any = make("option", "", first);
    any.value = "";
    select.append(any);
  }
  for (const [value, text] of options) { const option = make("option", "", visible(text)); option.value = "=" + value; select.append(option); }
  select.addEventListener("change", () => go({ ...filters, unit: undefined, [key]: select.value ? select.value.slice(1) : undefined }));
  node.append(select);
  place.append(node);
}

function buildFilters() {
  const used = (field, has) => [...new Set(classes.filter((each) => each[has]).map((each) => each[field]))].sort();
  const named = (values) => [["", "none"], ...values.map((value) => [value, value])];
  const ranked = systems.map((name, system) => [name, shortNames[system]]);
  const more = make("details", "quiet"), others = make("div", "controls");
  more.id = "more-filters";
  more.append(make("summary", "", "More filters"), others);
  control(form, "right", "show", [["0", "errors only"], ["1", "right units"], ["any", "all units"]], null);
  control(form, "system", "system", ranked);
  control(form, "kind", "error type", [...new Set(classes.map((each) => each.kind))].map((kind) => [kind, kind.replace("_", " ")]));
  control(form, "gold", data.antecedents ? data.label_name : `gold ${data.label_name}`, named(used("gold", "hasGold")));
  addSearch(more);
  if (!data.antecedents) control(others, "predicted", `system's ${data.label_name}`, named(used("predicted", "hasPredicted")));
  const slices = data.slices.flatMap(([name, values]) => values.map((value) => [`${name}=${value}`, `${name}: ${value}`])).concat(data.pairs_of_slices.map((name) => [name, name.replaceAll("=", ": ")]));
  if (slices.length) control(others, "slice", "slice", slices);
  if (systems.length > 1) {
    control(others, "from", "from", ranked);
    control(others, "to", "to", ranked);
    control(others, "change", "change", [["correction", "corrections"], ["new_error", "new errors"], ["changed_error", "changed errors"]]);
    control(others, "solved", "systems correct", [...Array(systems.length + 1).keys()].map((count) => [count, String(count)]));
  }
  const orders = [["unit", "unit"], ["gold", `gold ${data.label_name}`]];
  control(others, "sort", "order", systems.length > 1 ? [["different", "most different first"], ...orders] : orders, "text order");
  form.addEventListener("submit", (event) => event.preventDefault());
}

function addSearch(more) {
  const node = make("label", "", "text"), input = make("input"), clear = make("button", "", "Clear");
  input.type = "search";
  input.name = "text";
  input.addEventListener("input", () => go({ ...filters, unit: undefined, text: input.value || undefined }, true));
  node.append(input);
  clear.type = "button";
  clear.addEventListener("click", () => go({}));
  form.append(node, clear, more);
}

function fillFilters() {
  for (const node of form.querySelectorAll("select, input")) {
    const value = filters[node.name];
    if (node.tagName === "INPUT") { if (node.value !== (value ?? "")) node.value = value ?? ""; continue; }
    const target = value === undefined ? (UNSET[node.name] ?? "") : "=" + value;
    if (value !== undefined && ![...node.options].some((option) => option.value === target)) { const option = make("option", "", visible(value)); option.value = target; node.append(option); }
    node.value = target;
    if (value !== undefined) node.closest("details")?.setAttribute("open", "");
  }
}
