/* The listed units as a CSV file, one row per unit and system, with columns of `evenhand errors`, confidences if there are any, and slices. */
const CSV_COLUMNS = ["system", "document", "line", "sentence", "start", "end", "left", "string", "right", "gold", "predicted", "type", "side", "matched"];
const CSV_CONTEXT = 5; /* tokens on each side */

function buildDownload() {
  const button = byId("download");
  button.hidden = false;
  button.addEventListener("click", () => {
    const link = make("a"), file = URL.createObjectURL(new Blob(["\ufeff", csvOf(rowsOf(filters))], { type: "text/csv" })); /* Excel needs the mark */
    link.href = file;
    link.download = "errors.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(file), 1000);
  });
}

/* The rows of the requested systems (one, a pair, or all) that fit the filters; systems without a unit have no row for it. */
function rowsOf(filters) {
  const requested = filters.system !== undefined ? [filters.system] : filters.from !== undefined && filters.to !== undefined ? [filters.from, filters.to] : systems;
  return requested.map((name) => systems.indexOf(name)).flatMap((system) => {
    const units = new Set(select({ ...filters, system: systems[system] }));
    return shown.filter((unit) => units.has(unit) && !(classOf(unit, system).absent && classOf(unit, system).right)).map((unit) => rowOf(unit, system));
  });
}

const sliceColumns = () => data.slices.filter(([name]) => data.slice_columns.includes(name));

function rowOf(unit, system) {
  const sentence = sentenceOf(unit), outcome = classOf(unit, system), start = data.start[unit], end = data.end[unit];
  const [first, last] = isNowhere(unit) ? ["", ""] : data.offsets ? [data.offsets[0][unit], data.offsets[1][unit]] : [start, end];
  const [left, right] = [around(unit, Math.max(0, start - CSV_CONTEXT), start), around(unit, end, end + CSV_CONTEXT)].map((text) => text.trim());
  return [systems[system], sentence.d, data.line[unit] ?? "", sentence.n, first, last, left, stringOf(unit), right, outcome.gold, outcome.predicted, outcome.kind, data.surplus[unit] ? "system" : "gold", matchedText(unit, system), ...(data.score ? [scoreOf(unit, system) ?? ""] : []), ...sliceColumns().map(([, values, codes]) => values[codes[unit]])];
}

/* RFC 4180. An apostrophe precedes text that a spreadsheet would run as a formula; only confidences are negative numbers. */
function csvOf(rows) {
  const cell = (value) => {
    const text = String(value), safe = typeof value === "string" && /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [[...CSV_COLUMNS, ...(data.score ? ["score"] : []), ...sliceColumns().map(([name]) => name)], ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
