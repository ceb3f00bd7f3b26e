/* The changes between two systems that the reader chooses: tables computed from the units. */
const MOST_TRANSITIONS = 50, MOST_LABELS = 20, MOST_NAMED = 3; /* rows of tables, and those in the line of a closed box */
const CHANGES = { correction: "corrections", new_error: "new errors", changed_error: "changed errors" };

function buildPairs() {
  const place = byId("pair");
  if (!place) return;
  const [from, to] = [1, 0]; /* the second best system, and the best one */
  const chosen = ["from", "to"].map((name, at) => {
    const node = make("label", "", `${name} `), select = make("select");
    systems.forEach((name, system) => { const option = new Option(shortNames[system], system); option.title = visible(name); select.append(option); });
    select.value = [from, to][at];
    select.addEventListener("change", () => {
      const pair = chosen.map((each) => Number(each.value));
      drawPair(...pair);
      noteView("differences", { from: systems[pair[0]], to: systems[pair[1]] });
    });
    node.append(select);
    place.append(node);
    return select;
  });
  place.append(make("div", ""));
  drawPair(from, to);
  const follow = () => {
    const options = viewOptions("differences"), pair = [options.from, options.to].map((name) => systems.indexOf(name));
    if (pair.some((system) => system < 0)) return;
    chosen.forEach((each, at) => { each.value = pair[at]; });
    drawPair(...pair);
  };
  window.addEventListener("hashchange", follow);
  follow();
}

function drawPair(a, b) {
  const place = byId("pair").lastChild;
  if (a === b) return place.replaceChildren(make("p", "", "Choose two systems."));
  const byClass = transitionsOf(a, b), different = Object.values(byClass).reduce((sum, each) => sum + each.count, 0);
  const parts = Object.entries(byClass).filter(([, each]) => each.count).map(([kind, each]) => transitionTable(a, b, kind, each, different));
  place.replaceChildren(make("p", "", pairInWords(a, b, different)), ...parts, ...labelTable(a, b));
}

/* The differences of two systems by class, each with its transitions, the most frequent first. */
function transitionsOf(a, b) {
  const byClass = Object.fromEntries(Object.keys(CHANGES).map((kind) => [kind, { count: 0, rows: new Map() }]));
  for (let unit = 0; unit < size; unit++) {
    if (data.answer[a][unit] === data.answer[b][unit] || !isShared(unit)) continue;
    const each = byClass[change(unit, a, b)], before = predictionText(classOf(unit, a)), after = predictionText(classOf(unit, b)), gold = goldText(unit), what = data.has_parts ? changed(unit, a, b) : "";
    const key = JSON.stringify([gold, before, after, what]), row = each.rows.get(key) ?? { gold, before, after, what, count: 0 };
    row.count++;
    each.count++;
    each.rows.set(key, row);
  }
  return byClass;
}

/* A difference in points, with its sign. */
const points = (value) => `${value < 0 ? "−" : "+"}${Math.abs(100 * value).toFixed(2)}`;

function pairInWords(a, b, different) {
  const pair = data.pairs.find(([from, to]) => (from === a && to === b) || (from === b && to === a)), names = `${shortNames[a]} to ${shortNames[b]}`;
  const treated = `${counted(different, "unit")} ${different === 1 ? "is" : "are"} treated differently`;
  if (!pair) return visible(`${names}: ${treated}.`);
  const [from, , delta, low, high, p] = pair, sign = from === a ? 1 : -1;
  const bounds = low === null ? "" : ` (${points(sign < 0 ? -high : low)} to ${points(sign < 0 ? -low : high)})`;
  const test = p === null ? "" : `, p ${p < 0.0001 ? "< 0.0001" : `= ${p.toFixed(4)}`}`;
  if (delta === null) return visible(`${names}: the scores are undefined; ${treated}.`);
  return visible(`${names}: ${points(sign * delta)} points${bounds}${test}; ${treated}.`);
}

function transitionTable(a, b, kind, differences, different) {
  const rows = [...differences.rows.values()].sort((one, other) => other.count - one.count || compared([one.gold, one.before, one.after], [other.gold, other.before, other.after]));
  const share = (part, whole) => (100 * part / whole).toFixed(2), ends = { from: systems[a], to: systems[b], change: kind };
  const cells = rows.slice(0, MOST_TRANSITIONS).map((row) => [
    row.gold || "–", row.before, row.after, ...(data.has_parts ? [row.what] : []),
    { text: row.count.toLocaleString("en"), href: address({ ...ends, gold: row.gold, before: row.before, after: row.after, what: row.what || undefined }) },
    { text: share(row.count, differences.count) }, { text: share(row.count, different) },
  ]);
  const names = ["gold", shortNames[a], shortNames[b], ...(data.has_parts ? ["changed"] : []), "count", "% of these", "% of all"];
  const count = differences.count.toLocaleString("en"), part = make("details"), all = make("p", "", "All of them: "), link = make("a", "", count);
  link.href = address(ends);
  all.append(link);
  const most = rows.slice(0, MOST_NAMED).map((row) => `${row.gold || "–"}: ${row.before} → ${row.after} (${row.count.toLocaleString("en")})`);
  part.append(summaryOf(`${CHANGES[kind]}: ${count} of ${different.toLocaleString("en")} (${share(differences.count, different)} %)`, most), all, tableOf(names, cells));
  const more = rows.length - cells.length;
  if (more > 0) part.append(make("p", "remark", `${counted(more, "more transition")}, which ${more === 1 ? "is" : "are"} rarer.`));
  return part;
}

/* The heading of a box, with its first rows in one line. */
function summaryOf(heading, first) {
  const node = make("summary", "", heading);
  node.append(" ", make("small", "", visible(first.join(", "))));
  return node;
}

/* The labels with the largest differences between two systems, if the comparison has their scores. */
function labelTable(a, b) {
  const rows = data.label_scores.map(([name, units, ...scores]) => ({ name, units, a: scores[a], b: scores[b], delta: scores[b] - scores[a] }));
  if (!rows.length) return [];
  rows.sort((one, other) => Math.abs(other.delta) - Math.abs(one.delta) || compared([one.name], [other.name]));
  const percent = (value) => (100 * value).toFixed(2), ends = { from: systems[a], to: systems[b], different: "1" };
  const cells = rows.slice(0, MOST_LABELS).map((row) => {
    const href = address({ ...ends, label: row.name });
    const units = { text: row.units.toLocaleString("en"), href: data.labels_are_compared ? address({ of: "gold", gold: row.name, shared: "1" }) : null };
    return [{ text: row.name, href, isName: true }, units, ...[percent(row.a), percent(row.b), points(row.delta)].map((text) => ({ text, href }))];
  });
  const part = make("details"), heading = rows.length > MOST_LABELS ? `The ${MOST_LABELS} of ${rows.length} ${data.label_name}s with the largest differences` : `By ${data.label_name}`;
  part.append(summaryOf(heading, rows.slice(0, MOST_NAMED).map((row) => `${row.name} ${points(row.delta)}`)), tableOf([data.label_name, "units", shortNames[a], shortNames[b], "delta"], cells));
  return [part];
}

/* A table: text left, other cells right; these may be links. */
function tableOf(names, rows) {
  const table = make("table"), head = make("tr"), body = make("tbody"), top = make("thead"), wide = make("div", "wide");
  const isNumber = (at) => rows.length && typeof rows[0][at] === "object" && !rows[0][at].isName;
  names.forEach((name, at) => { const node = make("th", isNumber(at) ? "number" : "", visible(name)); node.scope = "col"; head.append(node); });
  for (const row of rows) {
    const line = make("tr");
    row.forEach((value, at) => {
      const node = make(at ? "td" : "th", isNumber(at) ? (value.href === null ? "number unlisted" : "number") : ""), text = visible(value.text ?? value);
      if (!at) node.scope = "row";
      if (value.href) { const link = make("a", "", text); link.href = value.href; node.append(link); }
      else node.append(make("bdi", "", text));
      line.append(node);
    });
    body.append(line);
  }
  wide.tabIndex = 0;
  wide.setAttribute("role", "group");
  wide.setAttribute("aria-label", visible(`Table: ${names.join(", ")}`));
  top.append(head);
  table.append(top, body);
  wide.append(table);
  return wide;
}
