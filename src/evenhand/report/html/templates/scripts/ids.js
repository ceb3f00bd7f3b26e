/* Names of units that stay the same when a page is made anew: document, sentence, span and label. */
const ids = { names: null, units: new Map() };

function idOf(unit) {
  if (!ids.names) nameUnits();
  return ids.names[unit];
}

function unitOf(id) {
  if (!ids.names) nameUnits();
  return ids.units.get(id) ?? -1;
}

/* As in `doc~3~0-2~PER`; what only systems have ends with `~system`, and what is there several times with its number. */
function nameUnits() {
  ids.names = Array.from({ length: size }, (_, unit) => {
    const { d, n } = sentenceOf(unit), span = data.nowhere[unit] ?? `${data.start[unit]}-${data.end[unit]}`;
    const name = `${d}~${n}~${span}~${label(data.label[unit])}${data.surplus[unit] ? "~system" : ""}`;
    let id = name;
    for (let number = 2; ids.units.has(id); number++) id = `${name}~${number}`;
    ids.units.set(id, unit);
    return id;
  });
}
