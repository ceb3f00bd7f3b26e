/* The table of units: only the rows in sight are in the page. */
const MOST_COLUMNS = 6, FIRST_COLUMNS = 3, CONTEXT = 12; /* systems with a column each; those of many; tokens around a unit */
let shown = [], current = -1, wanted = {}, rowHeight = 28, writing = 0;

/* The systems that have a column: all, or those asked for, or the best. */
function columns() {
  const asked = [wanted.system, wanted.from, wanted.to].map((name) => systems.indexOf(name)).filter((each) => each >= 0);
  if (systems.length <= MOST_COLUMNS) return data.order;
  return asked.length ? [...new Set(asked)] : data.order.slice(0, FIRST_COLUMNS);
}

/* A verdict in full, as it stands beside a drawing. */
function verdict(unit, system) {
  const found = classOf(unit, system);
  const node = make("bdi", `verdict ${found.right ? "good" : "bad"}`);
  const kind = !data.has_verdicts && found.hasPredicted && !found.right && wrongKinds.length > 1 ? ` (${found.kind.replace("_", " ")})` : "";
  node.textContent = visible(found.shown + kind);
  return node;
}

/* A verdict in short: a mark, and what is wrong. */
function markOf(found) {
  if (unscoredKinds.has(found.kind)) return ["·", "not scored", found.hasGold || found.hasPredicted ? found.shown : ""];
  if (found.right) return found.absent ? ["–", "nothing, as it should be", ""] : ["✓", "right", ""];
  const kind = found.kind.replace(/^wrong_/, ""), label = found.hasPredicted && found.predicted !== found.gold ? found.predicted : "";
  if (data.has_verdicts) return ["✗", "wrong", label ? `${kind} ${label}` : kind];
  return ["✗", "wrong", label && (wrongKinds.length < 2 || kind === data.label_name) ? label : [label, kind].filter(Boolean).join(", ")];
}

function verdictCell(unit, system) {
  const found = classOf(unit, system), [mark, meaning, text] = markOf(found);
  const node = cell(`verdict ${found.right ? "good" : "bad"}`), sign = make("span", "mark", mark);
  sign.setAttribute("role", "img");
  sign.setAttribute("aria-label", meaning);
  node.append(sign);
  if (text) node.append(" ", make("bdi", "", visible(text)));
  node.title = visible(`${systems[system]}: ${found.shown}`);
  return node;
}

function cell(name, text) {
  const node = make("td", name);
  node.setAttribute("role", "gridcell");
  if (text !== undefined) node.append(make("bdi", "", text));
  return node;
}

/* The place of a unit in short: its line or sentence, with the file where there are several. */
const hasFiles = new Set(data.sentences.map((sentence) => sentence.p)).size > 1;
function shortPlace(unit) {
  const number = data.line[unit] ?? sentenceOf(unit).n;
  return hasFiles ? `${sentenceOf(unit).p.replace(/^.*[\\/]/, "")}:${number}` : String(number);
}

/* Where a system's cell is on a narrow screen, whose rows are grids of 60 columns. */
function placed(node, at, count) {
  const width = Math.floor(46 / count);
  node.style.gridColumn = `${15 + at * width} / span ${width}`;
  return node;
}

const keyword = (unit) => endsOf(unit) ?? words(unit);

function listRow(place) {
  const unit = shown[place], node = make("tr", "unit"), { t } = sentenceOf(unit), start = data.start[unit], end = data.end[unit];
  const around = (from, to) => (isNowhere(unit) ? "" : visible(t.slice(from, to).join(data.space)));
  const before = around(Math.max(0, start - CONTEXT), start), after = around(end, end + CONTEXT);
  node.id = `unit-${place}`;
  node.setAttribute("role", "row");
  node.setAttribute("aria-selected", place === current);
  node.setAttribute("aria-rowindex", place + 2);
  node.append(
    cell("where", visible(shortPlace(unit))),
    cell("before", isRightToLeft(t) ? after : before),
    cell("words", visible(keyword(unit)) || "–"),
    cell("after", isRightToLeft(t) ? before : after),
    cell("gold", visible(told(unit)) || "–"),
    ...laneOf(columns().map((system) => verdictCell(unit, system)), () => cell("solved", `${solvers(unit)} of ${systems.length}`)),
  );
  node.addEventListener("click", () => step(place));
  return node;
}

/* The cells of systems, and behind them that for those without a column. */
function laneOf(cells, further) {
  const all = columns().length < systems.length ? [...cells, further()] : cells;
  return all.map((node, at) => placed(node, at, all.length));
}

/* The header: systems by name, each with a letter, which stands alone where there is no room. */
const letter = (system) => String.fromCharCode(65 + (data.order.indexOf(system) % 26));

function heading(name, text, sort, span = 1) {
  const node = make("th", name), button = make("button");
  node.setAttribute("role", "columnheader");
  node.setAttribute("aria-sort", (wanted.sort ?? "") === sort ? "ascending" : "none");
  if (span > 1) node.colSpan = span;
  button.type = "button";
  button.tabIndex = -1; /* the filter "order" does the same for the keyboard */
  button.append(text);
  button.addEventListener("click", () => go({ ...wanted, unit: undefined, sort: sort || undefined }));
  node.append(button);
  return node;
}

function drawHead() {
  const named = columns().map((system) => {
    const name = make("bdi", "name", visible(systems[system])), node = heading("verdict", name, `system:${systems[system]}`);
    if (systems.length > 1) name.before(make("b", "letter", letter(system)));
    node.title = name.textContent;
    return node;
  });
  const first = heading("where", hasFiles ? "place" : data.line[0] === null ? "sentence" : "line", "");
  byId("head").replaceChildren(first, heading("words", "unit in its context", "unit", 3), heading("gold", "gold", "gold"), ...laneOf(named, () => heading("solved", "right", "solved")));
  byId("letters").replaceChildren(...(systems.length > 1 ? columns().map((system) => make("span", "", `${letter(system)} ${visible(systems[system])}`)) : []));
}

function draw() {
  const room = list.clientHeight - byId("head").offsetHeight;
  const first = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 4), last = Math.min(shown.length, first + Math.ceil(room / rowHeight) + 8);
  const nodes = [gap(first)];
  for (let place = first; place < last; place++) nodes.push(listRow(place));
  rows.replaceChildren(...nodes, gap(shown.length - last));
}

function gap(size) {
  const node = make("tr", "space");
  node.setAttribute("role", "presentation");
  node.style.height = `${size * rowHeight}px`;
  return node;
}

function choose(place) {
  current = Math.max(0, Math.min(shown.length - 1, place));
  rowHeight = parseFloat(getComputedStyle(list).getPropertyValue("--row")) || 28;
  list.setAttribute("aria-rowcount", shown.length + 1);
  if (!shown.length) {
    rows.replaceChildren();
    current = -1;
    list.removeAttribute("aria-activedescendant");
    return detail.replaceChildren(make("p", "place", "No unit is like this."));
  }
  rows.replaceChildren(gap(shown.length));
  const top = current * rowHeight, room = list.clientHeight - byId("head").offsetHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + rowHeight > list.scrollTop + room) list.scrollTop = top + rowHeight - room;
  draw();
  list.setAttribute("aria-activedescendant", `unit-${current}`);
  drawDetail(shown[current]);
}

/* A unit that the reader chooses goes into the address; not at once, as browsers bound how often it may change. */
function step(place) {
  choose(place);
  if (current < 0) return;
  wanted.unit = idOf(shown[current]);
  clearTimeout(writing);
  writing = setTimeout(() => history.replaceState(null, "", address(wanted)), 150);
}
