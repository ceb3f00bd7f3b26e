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
    const row = make("tr", isHere ? "here" : ""), isJoined = cells.some((cell) => cell && joined.has(label(cell[0]).split("\t")[0]));
    row.append(make("td"));
    row.lastChild.append(make("div", isJoined ? "join" : "", visible(text)));
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
  const here = table.querySelector("tr.here"); /* scrolls the lanes alone: the page opens with its overview */
  if (here && here.offsetTop + here.offsetHeight > lanes.clientHeight) lanes.scrollTop = here.offsetTop - lanes.clientHeight / 2;
}

/* Verdicts of right values in another place, which a line joins with the gold value. */
const joined = new Set(["KE", "RE"]);

/* A system's value with the letters of its verdict; hovering shows both values with their paths. */
function recordCell(cell, gold) {
  const node = make("td");
  if (!cell) return node;
  const [verdict, text] = label(cell[0]).split("\t");
  node.className = rightKinds.has(verdict) ? "right" : `wrong ${verdict}`;
  const content = make("div", joined.has(verdict) ? "joined" : "");
  content.append(make("b", "", verdict), " ", text ? make("bdi", "", visible(text)) : "");
  node.append(content);
  node.title = visible(`gold: ${gold || "nothing"}\nsystem: ${text || "nothing"}`);
  return node;
}

/* The text with all values that it contains: strings as whole words, numbers also with separators and final zeros. */
function markedText(text, values) {
  const strings = [...new Set(values.map((value) => value.slice(value.indexOf(": ") + 2)))].filter((value) => value.length > 1 || /\d/.test(value));
  const pattern = strings.sort((one, other) => other.length - one.length).map(patternOf).join("|");
  const node = make("p", "record-text");
  for (const [at, piece] of (pattern ? text.split(new RegExp(`(${pattern})`, "u")) : [text]).entries()) node.append(at % 2 ? make("mark", "", piece) : piece);
  return node;
}

function patternOf(value) {
  const number = /^-?(\d+)(?:\.(\d*?)0*)?$/.exec(value);
  if (!number) return `(?<![\\p{L}\\p{N}])${value.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}(?![\\p{L}\\p{N}])`;
  const digits = number[1].replace(/\B(?=(\d{3})+$)/g, "[,.' ]?");
  return `(?<![\\d.,])${digits}${number[2] ? `[.,]${number[2]}0*` : "(?:[.,]0+)?"}(?![\\d])`;
}
