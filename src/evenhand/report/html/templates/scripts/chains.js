/* Mentions in the colours of their entities: chains of systems are aligned with gold chains. */
const alignments = new Map();

function drawMentions(grid, part, unit) {
  drawBars(grid, part, unit, mentionBars(part, unit));
}

function mentionBars(part, unit) {
  const entities = entitiesOf(sentenceOf(unit).d);
  return part.s.map((side, number) => side.map(([chain, from, to]) => {
    const { text, title, color } = entities[number].get(chain), here = from === data.start[unit] && to === data.end[unit];
    return { start: from, end: to, gaps: [], text, title, color, classes: here ? "here" : "" };
  }));
}

/* For each side of a document, the marks of its chains. One entity has one colour and one number on all sides;
   a chain that is aligned to none has a plus before its number. */
function entitiesOf(name) {
  if (alignments.has(name)) return alignments.get(name);
  const sentences = data.sentences.filter((sentence) => sentence.d === name), shown = [];
  const gold = [...new Set(sentences.flatMap((sentence) => sentence.s[0].map(([chain]) => chain)))];
  const numbers = new Map(gold.map((chain, at) => [chain, at]));
  let further = gold.length;
  shown.push(new Map(gold.map((chain) => [chain, { text: String(numbers.get(chain) + 1), title: `entity ${numbers.get(chain) + 1}`, color: colorOf(numbers.get(chain)) }])));
  for (let side = 1; side <= systems.length; side++) {
    const aligned = alignedChains(sentences, side), entities = new Map();
    for (const chain of new Set(sentences.flatMap((sentence) => sentence.s[side].map(([each]) => each)))) {
      const entity = aligned.get(chain);
      if (entity !== undefined) entities.set(chain, shown[0].get(entity));
      else { further++; entities.set(chain, { text: `+${further}`, title: "chain without a matching gold entity", color: colorOf(further - 1) }); }
    }
    shown.push(entities);
  }
  alignments.set(name, shown);
  return shown;
}

/* One-to-one alignment of a system's chains with gold chains; pairs with the most common mentions come first. */
function alignedChains(sentences, side) {
  const counts = new Map(), aligned = new Map(), taken = new Set();
  for (const { s } of sentences) {
    const golds = new Map(s[0].map(([chain, from, to]) => [`${from}-${to}`, chain]));
    for (const [chain, from, to] of s[side]) {
      const gold = golds.get(`${from}-${to}`);
      if (gold !== undefined) counts.set(`${chain} ${gold}`, (counts.get(`${chain} ${gold}`) ?? 0) + 1);
    }
  }
  for (const [pair] of [...counts].sort((one, other) => other[1] - one[1])) {
    const [chain, gold] = pair.split(" ").map(Number);
    if (!aligned.has(chain) && !taken.has(gold)) { aligned.set(chain, gold); taken.add(gold); }
  }
  return aligned;
}
