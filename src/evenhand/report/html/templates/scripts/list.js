/* The list: only the rows in sight are in the page. */
let shown = [], current = -1, wanted = {}, rowHeight = 28, writing = 0;

function verdict(unit, system, named) {
  const found = classOf(unit, system);
  const node = make("bdi", `verdict ${found.right ? "good" : "bad"}`);
  const name = named && systems.length > 1 ? `${systems[system]}: ` : "";
  const kind = !data.has_verdicts && found.hasPredicted && !found.right && wrongKinds.length > 1 ? ` (${found.kind.replace("_", " ")})` : "";
  node.textContent = visible(name + found.shown + kind);
  return node;
}

function verdicts(unit) {
  const node = make("span", "verdicts"), asked = systems.indexOf(wanted.system);
  const pair = [systems.indexOf(wanted.from), systems.indexOf(wanted.to)].filter((each) => each >= 0);
  const order = asked >= 0 ? [asked] : systems.length > 6 ? pair : [...systems.keys()];
  for (const system of order) node.append(verdict(unit, system, true));
  if (!order.length) node.append(make("span", "verdict", `${solvers(unit)} of ${systems.length} systems right`));
  return node;
}

function listRow(place) {
  const unit = shown[place], node = make("div", "unit");
  node.style.top = `${place * rowHeight}px`;
  node.id = `unit-${place}`;
  node.setAttribute("role", "option");
  node.setAttribute("aria-selected", place === current);
  node.setAttribute("aria-posinset", place + 1);
  node.setAttribute("aria-setsize", shown.length);
  node.append(make("bdi", "where", visible(placeOf(unit).replace(/^.*[\\/]/, ""))), make("bdi", "words", visible(words(unit)) || "–"), make("bdi", "gold", visible(told(unit)) || "–"), verdicts(unit));
  node.addEventListener("click", () => step(place));
  return node;
}

function draw() {
  const first = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 4), last = Math.min(shown.length, first + Math.ceil(list.clientHeight / rowHeight) + 8);
  const nodes = [];
  for (let place = first; place < last; place++) nodes.push(listRow(place));
  rows.replaceChildren(...nodes);
}

function choose(place) {
  current = Math.max(0, Math.min(shown.length - 1, place));
  rowHeight = parseFloat(getComputedStyle(list).getPropertyValue("--row")) || 28;
  rows.style.height = `${shown.length * rowHeight}px`;
  if (!shown.length) {
    rows.replaceChildren();
    current = -1;
    list.removeAttribute("aria-activedescendant");
    return detail.replaceChildren(make("p", "place", "No unit is like this."));
  }
  const top = current * rowHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + rowHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + rowHeight - list.clientHeight;
  draw();
  list.setAttribute("aria-activedescendant", `unit-${current}`);
  drawDetail(shown[current]);
}

/* A unit that the reader chooses goes into the address; not at once, as browsers bound how often it may change. */
function step(place) {
  choose(place);
  if (current < 0) return;
  wanted.unit = String(shown[current]);
  clearTimeout(writing);
  writing = setTimeout(() => history.replaceState(null, "", address(wanted)), 150);
}
