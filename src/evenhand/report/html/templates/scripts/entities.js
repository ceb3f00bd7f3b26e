/* Entities: cost by error type, one row per entity, and documents with key and response side by side. */
const COLORS_OF_THREADS = 12, ROWS_OPEN = 40, LANES = 8;
const spell = (name) => name.replaceAll("_", " ");

function buildEntities() {
  const found = data.entities;
  if (!found) return;
  const byName = new Map(found.documents.map((each, at) => [each.d, at]));
  const points = (value, digits = 2) => (value < 0 ? "−" : "") + Math.abs(value).toFixed(digits);
  const view = { system: 0, other: -1, verdict: "", type: "", kind: "", document: 0, chain: 0, side: "key", open: ROWS_OPEN };
  const cost = byId("cost"), chains = byId("chains"), map = byId("map"), shownText = byId("document"), controls = byId("entity-controls");

  /* The colour of an entity: its number among twelve, with dashes and dots beyond these. */
  const colorClass = (entity) => (entity ? `e${((entity - 1) % COLORS_OF_THREADS) + 1}` : "e0");
  const pattern = (entity) => Math.min(2, Math.floor((entity - 1) / COLORS_OF_THREADS));
  function line(entity) {
    const color = entity ? `var(--e${((entity - 1) % COLORS_OF_THREADS) + 1})` : "var(--soft)";
    if (!entity) return `repeating-linear-gradient(135deg, ${color} 0 2px, transparent 2px 4px)`;
    return [`linear-gradient(${color}, ${color})`, `repeating-linear-gradient(90deg, ${color} 0 7px, transparent 7px 10px)`, `repeating-linear-gradient(90deg, ${color} 0 2px, transparent 2px 5px)`][pattern(entity)];
  }

  function select(name, title, options, field) {
    const label = make("label", "", title), node = make("select");
    for (const [value, text] of options) node.append(new Option(text, value));
    node.addEventListener("change", () => { view[field] = typeof view[field] === "number" ? Number(node.value) : node.value; if (field === "system" && view.other === view.system) view.other = -1; view.open = ROWS_OPEN; note(); });
    label.append(node);
    controls.append(label);
    return node;
  }
  const selects = {
    system: select("system", "system", systems.map((_, at) => [at, shortNames[at]]), "system"),
    ...(systems.length > 1 ? { other: select("other", "compared with", [[-1, "no other"], ...systems.map((_, at) => [at, shortNames[at]])], "other") } : {}),
    verdict: select("verdict", "verdict", [["", "any but exact"], ["all", "any"], ...["exact", "missing", "invented", "divided", "conflated", "extra", "incomplete", "span"].map((each) => [each, each])], "verdict"),
    type: select("type", "type", [["", "any"], ...["name", "nominal", "pronoun"].map((each) => [each, each])], "type"),
    document: select("document", "document", found.documents.map((each, at) => [at, visible(each.d)]), "document"),
  };

  function note() {
    const kept = { system: systems[view.system] };
    if (view.other >= 0) kept.other = systems[view.other];
    for (const name of ["verdict", "type", "kind"]) if (view[name]) kept[name] = view[name];
    if (found.documents.length) kept.document = found.documents[view.document].d;
    if (view.chain) { kept.chain = view.chain; kept.side = view.side; }
    noteView("entities", kept);
    show();
  }

  function follow() {
    const asked = viewOptions("entities");
    if (!Object.keys(asked).length) return false;
    view.system = Math.max(0, systems.indexOf(asked.system));
    view.other = systems.indexOf(asked.other);
    view.verdict = asked.verdict ?? "";
    view.type = asked.type ?? "";
    view.kind = asked.kind ?? "";
    view.document = byName.get(asked.document) ?? view.document;
    view.chain = Number(asked.chain ?? 0);
    view.side = asked.side === "response" ? "response" : "key";
    return true;
  }

  function show() {
    for (const [name, node] of Object.entries(selects)) node.value = view[name];
    drawCost();
    drawRows();
    if (found.documents.length) { sides = sidesOf(); pointed = null; drawMap(); drawText(); drawThread(); light(); }
  }

  function table(place, heads, title) {
    const node = make("table"), head = make("tr"), body = make("tbody"), top = make("thead");
    for (const [text, name] of heads) { const cell = make(text ? "th" : "td", name, text); if (text) cell.scope = "col"; head.append(cell); }
    top.append(head);
    node.append(top, body);
    node.setAttribute("aria-label", title);
    place.replaceChildren(node);
    return body;
  }

  /* Cost: the seven types of errors, the most expensive first; a number opens its errors. */
  function drawCost() {
    const rows = [...found.errors[view.system]].sort((one, other) => other[2] - one[2]), other = view.other < 0 ? null : new Map(found.errors[view.other].map((row) => [row[0], row]));
    const most = Math.max(...rows.map((row) => Math.abs(row[2])), 1e-9);
    const body = table(cost, [["error type", ""], ["n", "number"], ...(other ? [[`n, ${shortNames[view.other]}`, "number"]] : []), ["points alone", "number"], ["", "track"], ["in order", "number order"]], "Cost by error type");
    for (const [name, count, alone, inOrder] of rows) {
      const row = make("tr"), head = make("th", "", spell(name)), number = make("td", "number"), link = make("a", "", count.toLocaleString("en")), track = make("td", "track"), bar = make("i", alone < 0 ? "minus" : "");
      head.scope = "row";
      link.href = `#entities?system=${encodeURIComponent(systems[view.system])}&kind=${name}`;
      number.append(link);
      bar.style.width = `${(100 * Math.abs(alone)) / most}%`;
      track.append(bar);
      row.setAttribute("aria-selected", String(view.kind === name));
      row.append(head, number, ...(other ? [make("td", "number unlisted", other.get(name)[1].toLocaleString("en"))] : []), make("td", "number", points(100 * alone)), track, make("td", "number order", points(100 * inOrder)));
      body.append(row);
    }
    if (rows.some((row) => row[2] < 0)) cost.append(make("p", "remark", "A repair may lower a score: splitting creates more chains, and CEAF counts all of them."));
  }

  /* Rows: the entities, or the errors of one type. */
  function drawRows() {
    if (view.kind) return drawErrors();
    const other = view.other < 0 ? null : new Map(found.chains[view.other].filter((row) => row[0]).map((row) => [`${row[2]} ${row[0]}`, row]));
    const fits = (verdict) => (view.verdict === "all" ? true : view.verdict ? verdict.split("+").includes(view.verdict) : verdict !== "exact");
    const rows = found.chains[view.system].filter((row) => fits(row[5]) && (!view.type || row[9] === view.type)).map((row) => ({ row, second: other?.get(`${row[2]} ${row[0]}`) }));
    const delta = ({ row, second }) => (second ? second[6] - row[6] : 0);
    if (other) rows.sort((one, next) => Math.abs(delta(next)) - Math.abs(delta(one)));
    const similarity = (row) => (row[6] === null ? "–" : `${row[7] ? "" : "≈ "}${row[6].toFixed(2)}`);
    const heads = [["entity", ""], ["document", "doc"], ["size", "number size"], ["verdict", ""], [other ? `φ ${shortNames[view.system]}` : "φ", "number"], ...(other ? [[`φ ${shortNames[view.other]}`, "number"], ["Δ", "number"]] : []), ["points", "number"]];
    const body = table(chains, heads, "Entities");
    for (const { row, second } of rows.slice(0, view.open)) {
      const node = make("tr"), name = make("td"), button = make("button", "link", visible(row[3]));
      const chosen = { document: byName.get(row[2]), chain: row[0] || row[1], side: row[0] ? "key" : "response" };
      name.append(button);
      node.setAttribute("aria-selected", String(chosen.document === view.document && chosen.chain === view.chain && chosen.side === view.side));
      node.append(name, make("td", "doc", visible(row[2])), make("td", "number unlisted size", row[4]), make("td", "verdict", row[5].replaceAll("+", " + ")), make("td", "number", similarity(row)), ...(other ? [make("td", "number", second ? similarity(second) : "–"), make("td", "number", second && row[6] !== null ? points(delta({ row, second })) : "–")] : []), make("td", "number", points(row[8])));
      if (chosen.document !== undefined) node.addEventListener("click", () => { Object.assign(view, chosen); note(); reveal(); });
      body.append(node);
    }
    more(rows.length);
    chains.append(make("p", "remark", "Points of MELA that the system would gain if only this entity were right; they overlap. φ: similarity to the chain that CEAF aligns with it; ≈: another alignment is as good."));
  }

  function drawErrors() {
    const kinds = view.kind.split(","), types = found.errors[view.system].map(([name], at) => (kinds.includes(name) ? at : -1)), rows = [];
    const title = kinds.length > 1 ? "all errors" : spell(view.kind);
    found.documents.forEach((each, at) => each.s[view.system].e.forEach((error) => { if (types.includes(error[0])) rows.push([at, error]); }));
    const body = table(chains, [[`${title}: mentions`, ""], ["document", "doc"], ["sentence", "number"], ["entity", "number"]], `Errors: ${title}`);
    for (const [at, [, mentions, key, response]] of rows.slice(0, view.open)) {
      const node = make("tr"), name = make("td"), each = found.documents[at], table = each.s[view.system].m;
      const button = make("button", "link", visible(mentions.slice(0, 4).map((row) => textOfMention(each, table[row])).join(" | ") + (mentions.length > 4 ? ` | ${mentions.length - 4} more` : "")));
      name.append(button);
      node.append(name, make("td", "doc", visible(each.d)), make("td", "number unlisted", table[mentions[0]][0] + 1), make("td", "number unlisted", key || "–"));
      node.addEventListener("click", () => { Object.assign(view, { document: at, chain: key || response, side: key ? "key" : "response" }); note(); reveal(mentions[0]); });
      body.append(node);
    }
    more(rows.length);
    const back = make("button", "more", "Show entities");
    back.type = "button";
    back.addEventListener("click", () => { view.kind = ""; view.open = ROWS_OPEN; note(); });
    chains.append(back);
  }

  function more(size) {
    chains.dataset.count = size;
    if (size <= view.open) return;
    const button = make("button", "more", `Show ${Math.min(ROWS_OPEN, size - view.open)} more of ${size.toLocaleString("en")}`);
    button.type = "button";
    button.addEventListener("click", () => { view.open += ROWS_OPEN; drawRows(); });
    chains.append(button);
  }

  const textOfMention = (each, [sentence, start, end]) => each.t[sentence].slice(start, end).join(" ") + (end > each.t[sentence].length ? " …" : "");

  let sides = { key: [], response: [] };
  /* The mentions of the response with the entity that each belongs to; corrected spans have that of their counterpart. */
  function sidesOf() {
    const rows = found.documents[view.document].s[view.system].m, key = [], response = [];
    rows.forEach(([sentence, start, end, entity, chain, pair], row) => {
      if (entity) key.push({ row, sentence, start, end, entity, chain: chain || (pair >= 0 ? rows[pair][4] : 0), pair: pair >= 0 ? rows[pair] : null });
      if (chain) response.push({ row, sentence, start, end, entity: entity || (pair >= 0 ? rows[pair][3] : 0), chain, pair: pair >= 0 ? rows[pair] : null });
    });
    return { key, response };
  }

  /* The map: a row per entity, a column per sentence; the upper half is the key, the lower one the response. */
  function drawMap() {
    const each = found.documents[view.document], { key } = sides, rows = found.chains[view.system].filter((row) => row[0] && row[2] === each.d).slice(0, ROWS_OPEN);
    const width = Math.max(3, Math.min(14, 900 / each.t.length)), names = 190;
    const svg = drawn("svg", { width: names + width * each.t.length + 4, height: 13 * rows.length + 2, role: "img", "aria-label": "Entities by sentence" });
    rows.forEach((row, at) => {
      const group = drawn("g", { class: colorClass(row[0]), "data-chain": row[0] }), title = drawn("title", {}), text = drawn("text", { x: 2, y: 13 * at + 10 });
      title.textContent = visible(row[3]);
      text.textContent = visible(`${row[0]} ${row[3].length > 26 ? `${row[3].slice(0, 25)}…` : row[3]}`);
      group.append(title, drawn("rect", { class: "row", x: 0, y: 13 * at, width: "100%", height: 13 }), text);
      for (const mention of key.filter((mention) => mention.entity === row[0])) {
        const x = names + width * mention.sentence;
        group.append(drawn("rect", { class: "dot", x: x + 0.5, y: 13 * at + 2, width: width - 1, height: 4 }), drawn("rect", { class: mention.chain ? "dot" : "hole", x: x + 0.5, y: 13 * at + 7, width: width - 1, height: 4 }));
      }
      group.addEventListener("click", () => { view.chain = row[0]; view.side = "key"; note(); reveal(); });
      svg.append(group);
    });
    map.replaceChildren(svg);
  }

  /* The chosen entity with the chain that CEAF aligns with it, and what either lacks. */
  function drawThread() {
    const each = found.documents[view.document], chosen = view.side === "key" && found.chains[view.system].find((row) => row[0] === view.chain && row[2] === each.d);
    const listed = (title, mentions) => (mentions.length ? `; ${title}: ${mentions.slice(0, 8).map((mention) => textOfMention(each, [mention.sentence, mention.start, mention.end])).join(" | ")}${mentions.length > 8 ? ` | ${mentions.length - 8} more` : ""}` : "");
    const partner = chosen?.[10], rows = each.s[view.system].m;
    const missing = sides.key.filter((mention) => mention.entity === chosen?.[0] && rows[mention.row][4] !== partner);
    const foreign = sides.response.filter((mention) => partner && mention.chain === partner && rows[mention.row][3] !== chosen[0]);
    byId("thread").textContent = !chosen ? "" : visible(partner ? `Entity ${chosen[0]} is aligned with chain ${partner} of the response (φ ${chosen[7] ? "" : "≈ "}${chosen[6].toFixed(2)})${listed("missing", missing)}${listed("foreign", foreign)}.` : `Entity ${chosen[0]} is aligned with no chain of the response.`);
  }

  function drawText() {
    const each = found.documents[view.document], { key, response } = sides;
    const top = found.chains[view.system].filter((row) => row[0] && row[2] === each.d).slice(0, LANES).map((row) => row[0]);
    if (view.chain && view.side === "key" && !top.includes(view.chain)) top.splice(LANES - 1, 1, view.chain);
    const sizes = new Map();
    for (const mention of response) if (top.includes(mention.entity)) sizes.set(mention.chain, (sizes.get(mention.chain) ?? 0) + 1);
    const threads = [...sizes].sort((one, other) => other[1] - one[1]).slice(0, LANES).map(([chain]) => chain);
    const reach = (mentions, field) => { const ends = new Map(); for (const { sentence, [field]: number } of mentions) { const [first, last] = ends.get(number) ?? [sentence, sentence]; ends.set(number, [Math.min(first, sentence), Math.max(last, sentence)]); } return ends; };
    const reaches = [reach(key, "entity"), reach(response, "chain")], head = make("div", "threads-head"), rows = [head];
    const corner = make("span"), corner2 = make("span");
    head.append(corner, make("span", "", "key"), make("span", "", visible(systems[view.system])), corner2);
    if (isNarrow.matches) { corner.remove(); corner2.remove(); }
    shownText.style.setProperty("--rail", `${LANES * 9 + 6}px`);
    each.t.forEach((tokens, sentence) => {
      const node = make("div", "pairrow");
      const own = key.filter((mention) => mention.sentence === sentence), theirs = response.filter((mention) => mention.sentence === sentence);
      const absent = own.filter((mention) => !mention.chain);
      node.append(rail(top, "entity", own, reaches[0], sentence), words(tokens, own, [], "key"), words(tokens, theirs, absent, "response"), rail(threads, "chain", theirs, reaches[1], sentence));
      rows.push(node);
    });
    shownText.replaceChildren(...rows);
  }

  function rail(lanes, field, mentions, reaches, sentence) {
    const node = make("span", "rail");
    for (const number of lanes) {
      const [first, last] = reaches.get(number) ?? [1, 0];
      const lane = make("i", `${field === "entity" ? `${colorClass(number)} own` : ""}${sentence >= first && sentence <= last ? " in" : ""}`);
      lane.title = field === "entity" ? `entity ${number}` : `chain ${number} of the response`;
      for (const mention of mentions.filter((each) => each[field] === number)) lane.append(make("b", colorClass(mention.entity)));
      node.append(lane);
    }
    node.setAttribute("aria-hidden", "true");
    return node;
  }

  /* The words of a sentence: stacked underlines for nested mentions, dashed outlines for missing ones, double bars where
     a corrected span differs. */
  function words(tokens, mentions, absent, side) {
    const node = make("p"), level = new Map();
    node.dataset.side = side;
    for (const mention of [...mentions].sort((one, other) => one.end - one.start - (other.end - other.start))) {
      const taken = new Set([...level].filter(([each]) => each.start < mention.end && mention.start < each.end).map(([, at]) => at));
      let at = 0;
      while (taken.has(at)) at++;
      level.set(mention, at);
    }
    tokens.forEach((token, at) => {
      const covering = mentions.filter((mention) => mention.start <= at && at < mention.end).sort((one, other) => level.get(one) - level.get(other));
      const span = make("span", "tk");
      if (covering.length) {
        const depth = Math.max(...covering.map((mention) => level.get(mention))) + 1;
        span.style.paddingBottom = `${4 * depth + 1}px`;
        span.style.backgroundImage = covering.map((mention) => line(mention.entity)).join(", ");
        span.style.backgroundSize = covering.map(() => "100% 3px").join(", ");
        span.style.backgroundPosition = covering.map((mention) => `0 calc(100% - ${4 * (depth - 1 - level.get(mention))}px)`).join(", ");
        span.dataset.rows = covering.map((mention) => mention.row).join(" ");
        if (covering.some(({ pair }) => pair && (at < pair[1] || at >= pair[2]))) span.classList.add("differs");
      }
      for (const mention of absent.filter((each) => each.start <= at && at < each.end)) {
        span.classList.add("absent");
        span.style.setProperty("--a", `var(--e${((mention.entity - 1) % COLORS_OF_THREADS) + 1})`);
        if (mention.start === at) { span.classList.add("first"); number(span, mention, `${mention.entity}?`); }
        if (mention.end - 1 === at || at === tokens.length - 1) span.classList.add("last");
        span.dataset.missing = `${span.dataset.missing ?? ""} ${mention.row}`.trim();
      }
      for (const mention of covering.filter((each) => each.start === at).sort((one, other) => other.end - one.end)) number(span, mention, mention.entity ? String(mention.entity) : `+${mention.chain}`);
      span.append(visible(token) + (at < tokens.length - 1 ? " " : ""));
      node.append(span);
    });
    return node;
  }

  function number(span, mention, text) {
    const mark = make("sup", colorClass(mention.entity), text);
    mark.title = mention.entity ? `entity ${mention.entity}${mention.chain ? `, chain ${mention.chain} of the response` : ", missing in the response"}` : `chain ${mention.chain} of the response, not in the key`;
    mark.dataset.row = mention.row;
    span.append(mark);
  }

  /* The chain that the pointer is on, or else the chosen one, is highlighted on both sides; n and p move along it. */
  let current = -1, pointed = null;
  function rowsOf({ chain, side }) {
    const field = side === "key" ? "entity" : "chain";
    return new Set([...sides.key, ...sides.response].filter((mention) => chain && mention[field] === chain).map((mention) => mention.row));
  }
  const rowsIn = (token) => `${token.dataset.rows ?? ""} ${token.dataset.missing ?? ""}`.split(" ").filter(Boolean).map(Number);
  function light() {
    const rows = rowsOf(pointed ?? view);
    for (const token of shownText.querySelectorAll(".tk")) {
      token.classList.toggle("lit", rowsIn(token).some((row) => rows.has(row)));
      token.classList.toggle("now", rowsIn(token).includes(current));
    }
    for (const group of map.querySelectorAll("g")) group.classList.toggle("lit", view.side === "key" && Number(group.dataset.chain) === view.chain);
  }
  function reveal(row = Math.min(...rowsOf(view))) {
    current = row;
    light();
    const token = [...shownText.querySelectorAll(".tk")].find((each) => rowsIn(each).includes(row));
    if (token) shownText.scrollTop = token.closest(".pairrow").offsetTop - shownText.clientHeight / 3;
  }
  /* The mention at a place, innermost first, and its chain: that of the response in its column, else that of the key. */
  function threadAt(node) {
    const token = node.closest(".tk"), row = node.dataset.row ?? (token ? rowsIn(token)[0] : undefined);
    if (row === undefined) return null;
    const side = node.closest("p").dataset.side, mention = [...sides[side], ...sides.key].find((each) => each.row === Number(row));
    return { row: mention.row, ...(side === "response" && mention.chain ? { chain: mention.chain, side } : { chain: mention.entity, side: "key" }) };
  }
  shownText.addEventListener("mouseover", (event) => { pointed = threadAt(event.target); light(); });
  shownText.addEventListener("mouseleave", () => { pointed = null; light(); });
  shownText.addEventListener("click", (event) => {
    const thread = threadAt(event.target);
    if (!thread || !getSelection().isCollapsed) return;
    Object.assign(view, { chain: thread.chain, side: thread.side });
    const top = shownText.scrollTop;
    note();
    shownText.scrollTop = top;
    current = thread.row;
    light();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || !["n", "p"].includes(event.key)) return;
    const rows = [...rowsOf(pointed ?? view)].sort((one, other) => one - other), at = rows.indexOf(pointed && !rows.includes(current) ? pointed.row : current);
    if (rows.length) reveal(rows[(at + (event.key === "n" ? 1 : rows.length - (at < 0 ? 0 : 1)) + rows.length) % rows.length]);
  });
  window.addEventListener("hashchange", () => { if (follow()) { view.open = ROWS_OPEN; show(); if (view.chain) reveal(); } });
  isNarrow.addEventListener("change", drawText);
  byId("thread-keys").hidden = false;
  const first = found.chains[0]?.find((row) => row[0]);
  if (first) view.document = byName.get(first[2]) ?? 0;
  follow();
  show();
  if (view.chain) reveal();
}
