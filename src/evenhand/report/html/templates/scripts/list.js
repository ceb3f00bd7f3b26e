/* The table of units; only visible rows are in the page. */
const MOST_COLUMNS = 6, FIRST_COLUMNS = 3, CONTEXT = 12; /* maximum number of systems with one column system; number if there are more; tokens around a unit */
let shown = [], current = -1, filters = {}, rowHeight = 28, writing = 0;

/* The systems with a column: all, or the requested ones, or the best. */
function columns() {
  const requested = [filters.system, filters.from, filters.to].map((name) => systems.indexOf(name)).filter((system) => system >= 0);
  if (systems.length <= MOST_COLUMNS) return [...systems.keys()];
  return requested.length ? [...new Set(requested)] : [...systems.keys()].slice(0, FIRST_COLUMNS);
}

/* A verdict in full, next to a drawing. */
function verdict(unit, system) {
  const outcome = classOf(unit, system);
  const node = make("bdi", `verdict ${outcome.right ? "good" : "bad"}`);
  const kind = !data.has_verdicts && outcome.hasPredicted && !outcome.right && wrongKinds.length > 1 ? ` (${outcome.kind.replace("_", " ")})` : "";
  node.textContent = visible(outcome.shown + kind);
  return node;
}

/* A verdict in short: a mark and the error. */
function markOf(outcome) {
  if (unscoredKinds.has(outcome.kind)) return ["·", "not scored", outcome.hasGold || outcome.hasPredicted ? outcome.shown : ""];
  if (outcome.right) return outcome.absent ? ["–", "correctly absent", ""] : ["✓", "right", ""];
  const kind = outcome.kind.replace(/^wrong_/, ""), label = outcome.hasPredicted && outcome.predicted !== outcome.gold ? outcome.predicted : "";
  if (data.has_verdicts) return ["✗", "wrong", label ? `${kind} ${label}` : kind];
  return ["✗", "wrong", label && (wrongKinds.length < 2 || kind === data.label_name) ? label : [label, kind].filter(Boolean).join(", ")];
}

function verdictCell(unit, system) {
  const outcome = classOf(unit, system), [mark, meaning, text] = markOf(outcome);
  const node = cell(`verdict ${outcome.right ? "good" : "bad"}`), sign = make("span", "mark", mark);
  sign.setAttribute("role", "img");
  sign.setAttribute("aria-label", meaning);
  node.append(sign);
  const seen = isMasked && !outcome.right ? legible(unit, system) : text;
  if (seen) node.append(" ", make("bdi", "", visible(seen)));
  const score = scoreText(unit, system);
  if (score) node.prepend(make("span", "score", scoreText(unit, system, 2)), " "); /* at the right, and never cut */
  node.title = visible(`${systems[system]}: ${outcome.shown}${score ? `, score ${score}` : ""}`);
  return node;
}

function cell(name, text) {
  const node = make("td", name);
  node.setAttribute("role", "gridcell");
  if (text !== undefined) node.append(make("bdi", "", text));
  return node;
}

/* The location of a unit in short: its line or sentence, with the file if there are several. */
const hasFiles = new Set(data.sentences.map((sentence) => sentence.p)).size > 1;
function shortPlace(unit) {
  const number = data.line[unit] ?? sentenceOf(unit).n;
  return hasFiles ? `${sentenceOf(unit).p.replace(/^.*[\\/]/, "")}:${number}` : String(number);
}

/* The position of a system's cell on a narrow screen, where rows are grids of 60 columns. */
function placed(node, at, count) {
  const width = Math.floor(46 / count);
  node.style.gridColumn = `${15 + at * width} / span ${width}`;
  return node;
}

const keyword = (unit) => endsOf(unit) ?? words(unit);

function listRow(place) {
  const unit = shown[place], node = make("tr", "unit"), { t } = sentenceOf(unit), start = data.start[unit], end = data.end[unit];
  const before = visible(around(unit, Math.max(0, start - CONTEXT), start)), after = visible(around(unit, end, end + CONTEXT));
  node.id = `unit-${place}`;
  node.setAttribute("role", "row");
  node.setAttribute("aria-selected", place === current);
  node.setAttribute("aria-rowindex", place + 2);
  node.append(
    cell("where", visible(shortPlace(unit))),
    cell("before", isRightToLeft(t) ? after : before),
    cell("words", visible(keyword(unit)) || "–"),
    cell("after", isRightToLeft(t) ? before : after),
    cell("gold", visible(goldText(unit)) || "–"),
    ...laneOf(columns().map((system) => verdictCell(unit, system)), () => cell("solved", `${solvers(unit)} of ${systems.length}`)),
  );
  node.addEventListener("click", () => step(place));
  return node;
}

/* The cells of systems, followed by one cell for all systems without a column. */
function laneOf(cells, further) {
  const all = columns().length < systems.length ? [...cells, further()] : cells;
  return all.map((node, at) => placed(node, at, all.length));
}

/* The header: systems by name, each with a letter, or by the letter alone if there is no room. */
const letter = (system) => String.fromCharCode(65 + (system % 26));

function heading(name, text, sort, span = 1) {
  const node = make("th", name), button = make("button");
  node.setAttribute("role", "columnheader");
  node.setAttribute("aria-sort", (filters.sort ?? "") === sort ? "ascending" : "none");
  if (span > 1) node.colSpan = span;
  button.type = "button";
  button.tabIndex = -1; /* the filter "order" does the same for the keyboard */
  button.append(text);
  button.addEventListener("click", () => go({ ...filters, unit: undefined, sort: sort || undefined }));
  node.append(button);
  return node;
}

function drawHead() {
  const named = columns().map((system) => {
    const name = make("bdi", "name", shortNames[system]), node = heading("verdict", name, `system:${systems[system]}`);
    if (systems.length > 1) name.before(make("b", "letter", letter(system)));
    node.title = visible(systems[system]);
    return node;
  });
  const first = heading("where", hasFiles ? "place" : data.line[0] === null ? "sentence" : "line", "");
  byId("head").replaceChildren(first, heading("words", "unit in its context", "unit", 3), heading("gold", "gold", "gold"), ...laneOf(named, () => heading("solved", "right", "solved")));
  byId("letters").replaceChildren(...(systems.length > 1 ? columns().map((system) => make("span", "", `${letter(system)} ${shortNames[system]}`)) : []));
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
    return detail.replaceChildren(make("p", "place", "No unit matches these filters."));
  }
  rows.replaceChildren(gap(shown.length));
  const top = current * rowHeight, room = list.clientHeight - byId("head").offsetHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + rowHeight > list.scrollTop + room) list.scrollTop = top + rowHeight - room;
  draw();
  list.setAttribute("aria-activedescendant", `unit-${current}`);
  drawDetail(shown[current]);
}

/* The chosen unit goes into the address, with a delay because browsers limit the number of changes. */
function step(place) {
  choose(place);
  if (current < 0) return;
  filters.unit = idOf(shown[current]);
  clearTimeout(writing);
  writing = setTimeout(() => history.replaceState(null, "", address(filters)), 150);
}
