/* Tokens and bars in lanes. */
const PALETTE = ["#56b4e9", "#e69f00", "#5fc9a5", "#f0e442", "#d9a3c7", "#e58b57", "#9db4c8", "#b5d99c", "#c9b8f0", "#f4b6b0"];

function put(grid, node, row, from, to) {
  node.style.gridRow = row;
  node.style.gridColumn = to === undefined ? from : `${from} / ${to}`;
  grid.append(node);
}

function tokensOf(grid, part, unit) {
  grid.style.gridTemplateColumns = `max-content repeat(${Math.max(part.last - part.first, 1)}, auto)`;
  put(grid, make("div", "side corner", ""), 1, 1);
  for (let at = part.first; at < part.last; at++) {
    put(grid, make("bdi", `token${isOwn(unit, at) ? " here" : ""}`, tokenText(part, at)), 1, at - part.first + 2);
  }
}

/* Whether a token belongs to a unit; the tokens between the ends of a link do not. */
function isOwn(unit, at) {
  const inside = ([from, to]) => at >= from && at < to;
  return (typeof boundsOf === "function" ? boundsOf(unit) : [[data.start[unit], data.end[unit]]]).some(inside);
}

/* The text of a token; dots where a long text is cut. */
function tokenText(part, at) {
  const isCut = (at === part.first && at > 0) || (at === part.last - 1 && part.last < part.length);
  return isCut ? "…" : visible(part.t[at] ?? String(at + 1));
}

function sideName(grid, row, side, span = 1) {
  const node = make("div", "side", sideNames[side]);
  node.title = sideTitles[side];
  put(grid, node, `${row} / span ${span}`, 1);
}

function lanesOf(spans) {
  const ends = [];
  return spans.map(([start, end]) => {
    let lane = ends.findIndex((last) => last <= start);
    if (lane < 0) lane = ends.push(0) - 1;
    ends[lane] = end;
    return lane;
  });
}

/* The bars of all sides in lanes, with free rows below each side; returns the row after each side. */
function drawBars(grid, part, unit, bars, free = 0) {
  tokensOf(grid, part, unit);
  let row = 2;
  return bars.map((given, number) => {
    const side = given.filter((bar) => bar.end > part.first && bar.start < part.last).sort((one, other) => one.start - other.start || other.end - one.end);
    const lanes = lanesOf(side.map((bar) => [bar.start, bar.end]));
    const height = Math.max(1, ...lanes.map((lane) => lane + 1)) + free;
    sideName(grid, row, number, height);
    side.forEach((bar, at) => drawBar(grid, part, bar, row + lanes[at]));
    row += height;
    return row;
  });
}

function drawBar(grid, part, bar, row) {
  const start = Math.max(part.first, bar.start), end = Math.min(part.last, bar.end);
  const node = make("bdi", `bar ${bar.classes}${bar.start < start ? " cut-left" : ""}${bar.end > end ? " cut-right" : ""}`, visible(bar.text));
  node.title = visible(bar.title ?? bar.text);
  node.style.background = bar.color;
  const column = (at) => at - part.first + 2;
  put(grid, node, row, column(start), column(end));
  for (const gap of bar.gaps.filter((each) => each >= start && each < end)) put(grid, make("div", "gap"), row, column(gap));
}

const colorOf = (number) => PALETTE[number % PALETTE.length];
