/* Spans in lanes. */
function drawSpans(grid, part, unit) {
  drawBars(grid, part, unit, spanBars(part, unit));
}

function spanBars(part, unit) {
  const start = data.start[unit], end = data.end[unit];
  return part.s.map((side, number) => side.map(([code, from, to, ...gaps]) => {
    const partner = number ? data.partner[number - 1][unit] : -1;
    const matched = partner >= 0 && !data.surplus[unit] && Math.floor(partner / 4294967296) === from && partner % 4294967296 === to;
    const own = from === start && to === end && code === data.label[unit];
    return { start: from, end: to, gaps, text: label(code), color: colorOf(code), classes: own ? "here" : matched ? "partner" : "" };
  }));
}
