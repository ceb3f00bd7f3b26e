/* Names of units that are the same in every page: document, sentence, span and label. */
const ids = { names: null, units: new Map() };

function idOf(unit) {
  if (!ids.names) nameUnits();
  return ids.names[unit];
}

function unitOf(id) {
  if (!ids.names) nameUnits();
  return ids.units.get(id) ?? -1;
}

/* As in `doc~3~0-2~PER`; units that only systems have end with `~system`, and repeated ones with a number. */
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
