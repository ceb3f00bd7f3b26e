/* The filters: a control for each field, all of which write the address. */
function control(key, title, options) {
  const node = make("label", "", title), select = make("select");
  select.name = key;
  const any = make("option", "", "any");
  any.value = "";
  select.append(any);
  for (const [value, text] of options) { const option = make("option", "", visible(text)); option.value = "=" + value; select.append(option); }
  select.addEventListener("change", () => go({ ...wanted, unit: undefined, [key]: select.value ? select.value.slice(1) : undefined }));
  node.append(select);
  form.append(node);
}

function buildFilters() {
  const used = (field, has) => [...new Set(classes.filter((each) => each[has]).map((each) => each[field]))].sort();
  const named = (values) => [["", "none"], ...values.map((value) => [value, value])];
  control("system", "system", systems.map((name) => [name, name]));
  control("kind", "verdict", [...new Set(classes.map((each) => each.kind))].map((kind) => [kind, kind.replace("_", " ")]));
  control("gold", data.antecedents ? data.label_name : `gold ${data.label_name}`, named(used("gold", "hasGold")));
  if (!data.antecedents) control("predicted", `system's ${data.label_name}`, named(used("predicted", "hasPredicted")));
  if (systems.length > 1) {
    control("from", "from", systems.map((name) => [name, name]));
    control("to", "to", systems.map((name) => [name, name]));
    control("change", "change", [["correction", "corrections"], ["new_error", "new errors"], ["changed_error", "changed errors"]]);
    control("solved", "systems right", [...Array(systems.length + 1).keys()].map((count) => [count, String(count)]));
  }
  const node = make("label", "", "text"), input = make("input");
  input.type = "search";
  input.name = "text";
  input.addEventListener("input", () => go({ ...wanted, unit: undefined, text: input.value || undefined }, true));
  node.append(input);
  const clear = make("button", "", "Clear");
  clear.type = "button";
  clear.addEventListener("click", () => go({}));
  form.append(node, clear);
  form.addEventListener("submit", (event) => event.preventDefault());
}

function fillFilters() {
  for (const node of form.querySelectorAll("select, input")) {
    const value = wanted[node.name];
    if (node.tagName === "INPUT") { if (node.value !== (value ?? "")) node.value = value ?? ""; continue; }
    const target = value === undefined ? "" : "=" + value;
    if (value !== undefined && ![...node.options].some((option) => option.value === target)) { const option = make("option", "", visible(value)); option.value = target; node.append(option); }
    node.value = target;
  }
}
