/* Records: gold values in rows, what each system has there, with its verdict; then the text, with the values found in it. */
function drawRecords(lanes, sentence, unit) {
  const table = make("table", "records"), head = make("tr"), [gold, ...others] = sentence.s;
  for (const [side, name] of sideNames.entries()) {
    head.append(make("th", "", name));
    head.lastChild.title = sideTitles[side];
  }
  table.append(head);
  const nowhere = data.nowhere[unit], values = [];
  const rowOf = (text, cells, isHere) => {
    const row = make("tr", isHere ? "here" : "");
    row.append(make("td", "", visible(text)));
    for (const cell of cells) row.append(recordCell(cell, text));
    table.append(row);
    values.push(text, ...cells.filter((cell) => cell).map(([code]) => label(code).split("\t")[1]));
  };
  sentence.t.forEach((text, at) => rowOf(text, others.map((side) => side.find(([, start]) => start === at)), nowhere === undefined && data.start[unit] === at));
  for (const [system, side] of others.entries()) {
    for (const row of side.filter(([, start]) => start < 0)) rowOf("", others.map((_, other) => (other === system ? row : undefined)), label(row[0]).split("\t")[1] === nowhere);
  }
  lanes.append(table);
  const text = gold.find(([, start]) => start < 0);
  if (text) lanes.append(markedText(label(text[0]), values));
  table.querySelector("tr.here")?.scrollIntoView({ block: "nearest" });
}

/* A system's value with the letters of its verdict; hovering shows both values. */
function recordCell(cell, gold) {
  const node = make("td");
  if (!cell) return node;
  const [verdict, text] = label(cell[0]).split("\t");
  node.className = rightKinds.has(verdict) ? "right" : `wrong ${verdict}`;
  node.append(make("b", "", verdict), " ", text ? make("bdi", "", visible(text)) : "");
  node.title = visible(`gold: ${gold || "nothing"}\nsystem: ${text || "nothing"}`);
  return node;
}

/* The text with all values that it contains literally. */
function markedText(text, values) {
  const found = [...new Set(values.map((value) => value.slice(value.indexOf(": ") + 2)).filter((value) => value.length > 1 && text.includes(value)))];
  const pattern = found.sort((one, other) => other.length - one.length).map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const node = make("p", "record-text");
  for (const [at, piece] of (pattern ? text.split(new RegExp(`(${pattern})`)) : [text]).entries()) node.append(at % 2 ? make("mark", "", piece) : piece);
  return node;
}
