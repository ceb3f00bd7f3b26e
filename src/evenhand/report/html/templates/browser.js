"use strict";
/* The error browser: unpacks the units, filters them by the page's fragment, lists and draws them. */
(async () => {
  const WINDOW = 400; /* tokens of a longer sentence or text that are drawn, around the unit */
  const PALETTE = ["#56b4e9", "#e69f00", "#5fc9a5", "#f0e442", "#d9a3c7", "#e58b57", "#9db4c8", "#b5d99c", "#c9b8f0", "#f4b6b0"];
  const FIELDS = ["system", "kind", "gold", "predicted", "label", "from", "to", "change", "before", "after", "what", "different", "solved", "right", "of", "shared", "text"];
  const byId = (id) => document.getElementById(id);
  const list = byId("list"), rows = byId("rows"), detail = byId("detail"), status = byId("status"), form = byId("filters");

  function make(tag, name, text) {
    const node = document.createElement(tag);
    if (name) node.className = name;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  /* What has no look of its own, as text: line feeds and tabs by their signs, other controls and turns of direction by their codes. */
  const SIGNS = { "\n": "↵", "\t": "⇥" };
  function visible(text) {
    const code = (char) => char.charCodeAt(0).toString(16);
    const spelled = (char) => (char < "\u0100" ? "\\x" + code(char).padStart(2, "0") : "\\u" + code(char));
    return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu, (char) => SIGNS[char] ?? spelled(char));
  }

  async function unpack() {
    const packed = Uint8Array.from(atob(byId("data").textContent.trim()), (char) => char.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  let data;
  try { data = await unpack(); } catch (problem) { status.textContent = `The units cannot be unpacked in this browser (${problem.message}); a newer one can.`; return; }
  const size = data.sentence.length, systems = data.systems;
  const rightKinds = new Set(data.right), absentKinds = new Set(data.absent), unscoredKinds = new Set(data.unscored);
  const wrongKinds = data.kinds.filter((kind) => !rightKinds.has(kind) && !absentKinds.has(kind) && !unscoredKinds.has(kind));
  const label = (code) => (code < 0 ? "" : data.labels[code]);
  const classes = data.classes.map(([kind, gold, predicted]) => {
    const name = data.kinds[kind];
    const shown = predicted < 0 ? name : data.has_verdicts ? `${name} ${label(predicted)}` : label(predicted);
    return { kind: name, gold: label(gold), predicted: label(predicted), hasGold: gold >= 0, hasPredicted: predicted >= 0, right: rightKinds.has(name), absent: absentKinds.has(name), shown };
  });
  const classOf = (unit, system) => classes[data.class[system][unit]];
  const sentenceOf = (unit) => data.sentences[data.sentence[unit]];
  const isNowhere = (unit) => unit in data.nowhere;
  const words = (unit) => data.nowhere[unit] ?? sentenceOf(unit).t.slice(data.start[unit], data.end[unit]).join(data.space);
  const texts = new Array(data.sentences.length);
  const textOf = (unit) => (texts[data.sentence[unit]] ??= sentenceOf(unit).t.join(data.space).toLowerCase());
  const solvers = (unit) => systems.reduce((count, _, system) => count + (classOf(unit, system).right ? 1 : 0), 0);
  /* What systems are compared on: units that all of them have, or that some of them have something of. */
  const isShared = (unit) => { const here = (_, system) => !classOf(unit, system).absent; if (systems.some((_, system) => unscoredKinds.has(classOf(unit, system).kind))) return false; return data.compares_shared ? systems.every(here) : systems.some(here); };

  function headAndRelation(unit, system) {
    const row = sentenceOf(unit).s[system + 1][data.start[unit]];
    return row ?? [-1, -9];
  }

  /* Whether units are edges of enhanced dependencies, whose heads are their partners. */
  const isOfEdges = ["elas", "eulas"].includes(data.by);

  function changed(unit, a, b) {
    const [relationA, headA] = isOfEdges ? [classOf(unit, a).predicted, data.partner[a][unit]] : headAndRelation(unit, a);
    const [relationB, headB] = isOfEdges ? [classOf(unit, b).predicted, data.partner[b][unit]] : headAndRelation(unit, b);
    const head = headA !== headB, relation = relationA !== relationB;
    return head && relation ? "both" : head ? "head" : relation ? "relation" : "";
  }

  function decoded(text) {
    try { return decodeURIComponent(text); } catch { return text; } /* an address that was cut or mistyped */
  }

  function state() {
    const [name, ...rest] = location.hash.slice(1).split("?"), found = {};
    if (name !== "units") return found;
    for (const part of rest.join("?").split("&").filter(Boolean)) {
      const [key, ...value] = part.split("=");
      if (FIELDS.includes(key) || key === "unit") found[key] = decoded(value.join("="));
    }
    return found;
  }

  function address(wanted) {
    const parts = [...FIELDS, "unit"].filter((key) => wanted[key] !== undefined && wanted[key] !== null);
    return "#units" + (parts.length ? "?" + parts.map((key) => `${key}=${encodeURIComponent(wanted[key])}`).join("&") : "");
  }

  /* What is asked for beyond the controls, in words. */
  function described(wanted) {
    const said = {
      right: (value) => (value === "1" ? "right" : "wrong"),
      of: (value) => (value === "gold" ? "in the gold standard" : "in the system's output"),
      shared: () => "that systems are compared on",
      different: () => "that the two treat differently",
      label: (value) => `with the ${data.label_name} ${value}`,
      before: (value) => `before: ${value}`,
      after: (value) => `after: ${value}`,
      what: (value) => `changed: ${value}`,
    };
    return FIELDS.filter((key) => wanted[key] !== undefined && !form.querySelector(`[name=${key}]`)).map((key) => (said[key] ?? ((value) => `${key}: ${value}`))(wanted[key]));
  }

  /* One condition a field; a unit is listed if all hold. */
  function conditions(wanted) {
    const tests = [];
    for (const key of ["system", "from", "to"]) if (wanted[key] !== undefined && !systems.includes(wanted[key])) return [() => false];
    const system = systems.indexOf(wanted.system);
    const some = (test) => (system >= 0 ? (unit) => test(classOf(unit, system), unit) : (unit) => systems.some((_, each) => test(classOf(unit, each), unit)));
    if (wanted.kind !== undefined) { const kinds = new Set(wanted.kind.split(",")); tests.push(some((found) => kinds.has(found.kind))); }
    const pair = wanted.from !== undefined && wanted.to !== undefined;
    if (wanted.gold !== undefined) tests.push(pair ? (unit) => told(unit) === wanted.gold : wanted.of === "gold" && system < 0 ? (unit) => label(data.label[unit]) === wanted.gold : some((found) => (wanted.gold === "" ? !found.hasGold : found.hasGold && found.gold === wanted.gold)));
    if (wanted.predicted !== undefined) tests.push(some((found) => (wanted.predicted === "" ? !found.hasPredicted : found.hasPredicted && found.predicted === wanted.predicted)));
    if (wanted.label !== undefined) tests.push((unit) => label(data.label[unit]) === wanted.label || (!pair && some((found) => found.gold === wanted.label || found.predicted === wanted.label)(unit)));
    if (wanted.right !== undefined) tests.push(some((found) => found.right === (wanted.right === "1")));
    if (wanted.of === "gold") tests.push((unit) => !data.surplus[unit]);
    if (wanted.of === "system") tests.push(some((found) => found.hasPredicted));
    if (wanted.shared !== undefined) tests.push(isShared);
    if (wanted.solved !== undefined) tests.push((unit) => isShared(unit) && (wanted.solved === "some" ? solvers(unit) > 0 : solvers(unit) === Number(wanted.solved)));
    if (pair) {
      const a = systems.indexOf(wanted.from), b = systems.indexOf(wanted.to);
      tests.push((unit) => isShared(unit) && data.answer[a][unit] !== data.answer[b][unit]);
      if (wanted.change) tests.push((unit) => change(unit, a, b) === wanted.change);
      if (wanted.before !== undefined) tests.push((unit) => classOf(unit, a).shown === wanted.before);
      if (wanted.after !== undefined) tests.push((unit) => classOf(unit, b).shown === wanted.after);
      if (wanted.what !== undefined) tests.push((unit) => changed(unit, a, b) === wanted.what);
    }
    if (wanted.text) { const text = wanted.text.toLowerCase(); tests.push((unit) => textOf(unit).includes(text)); }
    return tests;
  }

  const told = (unit) => (data.surplus[unit] && !data.antecedents ? "" : label(data.label[unit]));
  const change = (unit, a, b) => (classOf(unit, b).right ? "correction" : classOf(unit, a).right ? "new_error" : "changed_error");

  function select(wanted) {
    const tests = conditions(wanted);
    const found = [];
    for (let unit = 0; unit < size; unit++) if (tests.every((test) => test(unit))) found.push(unit);
    const system = systems.indexOf(wanted.system);
    if (wanted.of !== "system" || data.drawing !== "spans" || system < 0) return found;
    const seen = new Set(); /* a span of the system may be matched with several of the gold standard */
    return found.filter((unit) => {
      const bounds = isNowhere(unit) ? `nowhere ${unit}` : data.surplus[unit] ? `${data.start[unit]}-${data.end[unit]}` : data.partner[system][unit];
      const key = `${data.sentence[unit]}|${bounds}|${classOf(unit, system).predicted}`;
      return !seen.has(key) && seen.add(key);
    });
  }

  /* The list: only the rows in sight are in the page. */
  let shown = [], current = -1, wanted = {}, rowHeight = 28, writing = 0;

  const placeOf = (unit) => (data.line[unit] === null ? sentenceOf(unit).p : `${sentenceOf(unit).p}:${data.line[unit]}`);

  function verdict(unit, system, named) {
    const found = classOf(unit, system);
    const node = make("bdi", `verdict ${found.right ? "good" : "bad"}`);
    const name = named && systems.length > 1 ? `${systems[system]}: ` : "";
    const kind = !data.has_verdicts && found.hasPredicted && !found.right && wrongKinds.length > 1 ? ` (${found.kind.replace("_", " ")})` : "";
    node.textContent = visible(name + found.shown + kind);
    return node;
  }

  function verdicts(unit) {
    const node = make("span", "verdicts"), asked = systems.indexOf(wanted.system);
    const pair = [systems.indexOf(wanted.from), systems.indexOf(wanted.to)].filter((each) => each >= 0);
    const order = asked >= 0 ? [asked] : systems.length > 6 ? pair : [...systems.keys()];
    for (const system of order) node.append(verdict(unit, system, true));
    if (!order.length) node.append(make("span", "verdict", `${solvers(unit)} of ${systems.length} systems right`));
    return node;
  }

  function listRow(place) {
    const unit = shown[place], node = make("div", "unit");
    node.style.top = `${place * rowHeight}px`;
    node.id = `unit-${place}`;
    node.setAttribute("role", "option");
    node.setAttribute("aria-selected", place === current);
    node.setAttribute("aria-posinset", place + 1);
    node.setAttribute("aria-setsize", shown.length);
    node.append(make("bdi", "where", visible(placeOf(unit).replace(/^.*[\\/]/, ""))), make("bdi", "words", visible(words(unit)) || "–"), make("bdi", "gold", visible(told(unit)) || "–"), verdicts(unit));
    node.addEventListener("click", () => step(place));
    return node;
  }

  function draw() {
    const first = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 4), last = Math.min(shown.length, first + Math.ceil(list.clientHeight / rowHeight) + 8);
    const nodes = [];
    for (let place = first; place < last; place++) nodes.push(listRow(place));
    rows.replaceChildren(...nodes);
  }

  function choose(place) {
    current = Math.max(0, Math.min(shown.length - 1, place));
    rowHeight = parseFloat(getComputedStyle(list).getPropertyValue("--row")) || 28;
    rows.style.height = `${shown.length * rowHeight}px`;
    if (!shown.length) {
      rows.replaceChildren();
      current = -1;
      list.removeAttribute("aria-activedescendant");
      return detail.replaceChildren(make("p", "place", "No unit is like this."));
    }
    const top = current * rowHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + rowHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + rowHeight - list.clientHeight;
    draw();
    list.setAttribute("aria-activedescendant", `unit-${current}`);
    drawDetail(shown[current]);
  }

  /* A unit that the reader chooses goes into the address; not at once, as browsers bound how often it may change. */
  function step(place) {
    choose(place);
    if (current < 0) return;
    wanted.unit = String(shown[current]);
    clearTimeout(writing);
    writing = setTimeout(() => history.replaceState(null, "", address(wanted)), 150);
  }

  /* Drawing one unit: its sentence, and a lane for the gold standard and for every system. */
  function drawDetail(unit) {
    const lanes = make("div", "lanes"), place = make("p", "place"), sentence = sentenceOf(unit);
    lanes.tabIndex = 0;
    lanes.setAttribute("role", "group");
    lanes.setAttribute("aria-label", "The annotation of the sentence");
    place.append(make("bdi", "", `${visible(placeOf(unit))}, sentence ${sentence.n}, document `), make("bdi", "", visible(sentence.d)));
    detail.replaceChildren(place, ...factsOf(unit), lanes);
    const grid = make("div", `grid-lanes${data.space ? "" : " running"}`);
    if (sentence.t.filter((token) => /[\u0590-\u08ff\ufb1d-\ufefc]/.test(token)).length * 2 > sentence.t.filter((token) => /\p{L}/u.test(token)).length) grid.dir = "rtl";
    lanes.append(grid);
    ({ spans: drawSpans, links: drawLinks, brackets: drawBrackets, mentions: drawMentions, words: hasHeads(sentence) ? drawArcsOf : drawLabels })[data.drawing](grid, excerpt(sentence, unit), unit);
    const here = grid.querySelector(".token.here");
    if (here && (here.offsetLeft < 0 || here.offsetLeft + here.offsetWidth > lanes.clientWidth)) lanes.scrollLeft = here.offsetLeft - lanes.clientWidth / 2;
  }

  function factsOf(unit) {
    const own = make("dl"), theirs = make("dl", systems.length > 4 ? "many" : "");
    const fact = (facts, name, node) => { const pair = make("div"); pair.append(make("dt", "", name), node); facts.append(pair); };
    fact(own, "unit", make("dd", "", visible(endsOf(unit) ?? words(unit)) + (isNowhere(unit) ? " (has no place in the text)" : "")));
    const antecedents = data.antecedents ? data.antecedents[unit] : null;
    fact(own, "gold", make("dd", "", (visible(told(unit)) || "not in the gold standard") + (antecedents && antecedents[0] ? `, to “${visible(antecedents[0])}”` : "")));
    for (const system of systems.keys()) {
      const dd = make("dd");
      dd.append(verdict(unit, system));
      const partner = partnerText(unit, system);
      if (partner) dd.append(make("bdi", "", ` ${partner}`));
      fact(theirs, visible(systems[system]), dd);
    }
    return [own, theirs];
  }

  /* Whether words are drawn with arcs to their heads, for which the whole sentence is needed. */
  const hasHeads = (sentence) => data.drawing === "words" && sentence.s.some((side) => side.some((row) => row && row.length > 1));

  /* The part of a long sentence that is drawn: its first and last token, and what each side has there. */
  function excerpt(sentence, unit) {
    const length = sentence.t.length || sentence.s.flat().reduce((most, bar) => Math.max(most, bar[2]), data.end[unit]); /* a file may have no text */
    const start = data.start[unit], isWhole = length <= WINDOW || hasHeads(sentence);
    const end = Math.min(length, Math.max(start + WINDOW / 2, Math.min(data.end[unit], start + WINDOW)));
    return { t: sentence.t, s: sentence.s, l: sentence.l ?? [], length, first: isWhole ? 0 : Math.max(0, start - WINDOW / 2), last: isWhole ? length : end };
  }

  function partnerText(unit, system) {
    if (data.antecedents) { const words = data.antecedents[unit][system + 1]; return words ? `to “${visible(words)}”` : ""; }
    const partner = data.partner[system][unit], found = classOf(unit, system);
    if (partner < 0 || found.right) return "";
    const start = Math.floor(partner / 4294967296), end = partner % 4294967296;
    if (isOfEdges) return `of “${visible(sentenceOf(unit).t[start] ?? "")}”`;
    return `${data.surplus[unit] ? "over the gold span" : "matched with"} “${visible(sentenceOf(unit).t.slice(start, end).join(data.space))}”`;
  }

  function put(grid, node, row, from, to) {
    node.style.gridRow = row;
    node.style.gridColumn = to === undefined ? from : `${from} / ${to}`;
    grid.append(node);
  }

  function tokensOf(grid, part, unit) {
    grid.style.gridTemplateColumns = `max-content repeat(${Math.max(part.last - part.first, 1)}, auto)`;
    put(grid, make("div", "side", ""), 1, 1);
    for (let at = part.first; at < part.last; at++) {
      const isCut = (at === part.first && at > 0) || (at === part.last - 1 && part.last < part.length);
      put(grid, make("bdi", `token${at >= data.start[unit] && at < data.end[unit] ? " here" : ""}`, isCut ? "…" : visible(part.t[at] ?? String(at + 1))), 1, at - part.first + 2);
    }
  }

  function sideName(grid, row, side, span = 1) {
    const node = make("div", "side", side ? visible(systems[side - 1]) : "gold");
    node.title = node.textContent;
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

  /* The bars of all sides, each in lanes; below those of a side, so many rows stay free. The rows behind each side. */
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
    node.title = node.textContent;
    node.style.background = bar.color;
    const column = (at) => at - part.first + 2;
    put(grid, node, row, column(start), column(end));
    for (const gap of bar.gaps.filter((each) => each >= start && each < end)) put(grid, make("div", "gap"), row, column(gap));
  }

  const colorOf = (number) => PALETTE[number % PALETTE.length];

  function drawSpans(grid, part, unit) {
    const start = data.start[unit], end = data.end[unit];
    const bars = part.s.map((side, number) => side.map(([code, from, to, ...gaps]) => {
      const partner = number ? data.partner[number - 1][unit] : -1;
      const matched = partner >= 0 && !data.surplus[unit] && Math.floor(partner / 4294967296) === from && partner % 4294967296 === to;
      const own = from === start && to === end && code === data.label[unit];
      return { start: from, end: to, gaps, text: label(code), color: colorOf(code), classes: own ? "here" : matched ? "partner" : "" };
    }));
    drawBars(grid, part, unit, bars);
  }

  /* Links between spans, with the ends of each; `here` is the one that the unit or its partner is. */
  function linksOf(part, unit, number) {
    const bars = part.s[number], partner = number ? data.partner[number - 1][unit] : -1, surplus = data.surplus[unit];
    return (part.l[number] ?? []).map(([code, head, tail]) => {
      const one = bars[head], other = bars[tail] ?? one;
      const start = Math.min(one[1], other[1]), end = Math.max(one[2], other[2]);
      const own = code === data.label[unit] && start === data.start[unit] && end === data.end[unit] && (number === 0) === !surplus;
      const matched = !surplus && partner >= 0 && Math.floor(partner / 4294967296) === start && partner % 4294967296 === end;
      const found = number ? classOf(unit, number - 1) : null;
      const is = own || (matched && label(code) === found.predicted);
      return { one, other, here: is, text: (is && found ? `${found.kind} ` : "") + label(code) + (tail < 0 ? " (tail elsewhere)" : "") };
    });
  }

  /* The words of both ends of a link; null where units are no links. */
  function endsOf(unit) {
    const { t, s, l } = sentenceOf(unit);
    if (!l) return null;
    const link = s.flatMap((side, number) => linksOf({ t, s, l }, unit, number)).find((each) => each.here);
    return link ? `${spanText({ t }, link.one).trim()} → ${spanText({ t }, link.other).trim()}` : null;
  }

  function drawLinks(grid, part, unit) {
    const inSight = ([, from, to]) => to > part.first && from < part.last;
    const links = part.s.map((side, number) => linksOf(part, unit, number).filter((link) => inSight(link.one) || inSight(link.other)));
    const bars = part.s.map((side, number) => side.map((span) => {
      const [code, from, to, ...gaps] = span, isEnd = links[number].some((link) => link.here && (link.one === span || link.other === span));
      return { start: from, end: to, gaps, text: label(code), color: colorOf(code), classes: isEnd ? "here" : "" };
    }));
    const behind = drawBars(grid, part, unit, bars, 1);
    const drawings = links.map((side, number) => {
      const words = side.map((link) => visible(`${spanText(part, link.one)} ${link.text} ${spanText(part, link.other)}`)).join("; ");
      const svg = drawn("svg", { class: "arcs", role: "img", "aria-label": `${number ? systems[number - 1] : "gold"}: ${words}` });
      put(grid, svg, behind[number] - 1, 2, -1);
      return svg;
    });
    const left = drawings[0].getBoundingClientRect().left;
    const boxes = [...grid.querySelectorAll(".token")].map((node) => node.getBoundingClientRect());
    const middle = ([, from, to]) => {
      const inside = (at) => boxes[Math.min(Math.max(at - part.first, 0), boxes.length - 1)];
      return (inside(from).left + inside(to - 1).right) / 2 - left;
    };
    drawings.forEach((svg, number) => drawLinkArcs(svg, links[number].map((link) => ({ ...link, from: middle(link.one), to: middle(link.other) }))));
  }

  const spanText = (part, [, from, to]) => part.t.slice(from, to).join(data.space);

  /* Arcs from head to tail, each below all that lie between its ends. */
  function drawLinkArcs(svg, arcs) {
    const low = (arc) => Math.min(arc.from, arc.to), high = (arc) => Math.max(arc.from, arc.to);
    arcs.sort((one, other) => high(one) - low(one) - (high(other) - low(other)));
    arcs.forEach((arc, number) => { arc.level = 1 + Math.max(0, ...arcs.slice(0, number).filter((under) => low(under) <= high(arc) && high(under) >= low(arc)).map((under) => under.level)); });
    svg.setAttribute("height", 18 * Math.max(0, ...arcs.map((arc) => arc.level)) + 12);
    for (const arc of arcs) {
      const depth = 18 * arc.level, width = arc.to - arc.from, group = drawn("g", arc.here ? { class: "here" } : {});
      const far = width ? arc.from : arc.from - 8, near = width ? arc.to : arc.to + 8, bend = Math.sign(near - far) * Math.min(8, Math.abs(near - far) / 3);
      const path = `M ${far} 0 C ${far} ${depth * 0.7}, ${far + bend} ${depth}, ${far + bend * 2} ${depth} L ${near - bend * 2} ${depth} C ${near - bend} ${depth}, ${near} ${depth * 0.7}, ${near} 5`;
      const text = drawn("text", { x: (far + near) / 2, y: depth + 4 });
      text.textContent = visible(arc.text);
      group.append(drawn("path", { class: "arc", d: path }), drawn("path", { class: "tip", d: `M ${near} 0 l -3.5 6 h 7 z` }), text);
      svg.append(group);
    }
    for (const chosen of svg.querySelectorAll(".here")) svg.append(chosen); /* above the others */
  }

  /* The trees of all sides: each bracket above what it covers, over the words. */
  function drawBrackets(grid, part, unit) {
    tokensOf(grid, part, unit);
    const inSight = ([, from, to]) => to > part.first && from < part.last;
    const trees = part.s.map((side, number) => treeOf(side.filter(inSight).map(([code, from, to, mark]) => {
      const here = code === data.label[unit] && from === data.start[unit] && to === data.end[unit];
      return { code, from, to, mark, here, note: !mark ? "" : number ? "wrong" : systems.length > 1 ? `missed by ${mark} of ${systems.length} systems` : "missed" };
    })));
    const drawings = trees.map((tree, number) => {
      sideName(grid, number + 2, number);
      const words = tree.map((node) => `${label(node.code)} over “${part.t.slice(node.from, node.to).join(" ")}”${node.note ? ` (${node.note})` : ""}`);
      const svg = drawn("svg", { class: "arcs tree", role: "img", "aria-label": visible(`${number ? systems[number - 1] : "gold"}: ${words.join("; ")}`) });
      put(grid, svg, number + 2, 2, -1);
      return svg;
    });
    const left = drawings[0].getBoundingClientRect().left;
    const boxes = [...grid.querySelectorAll(".token")].map((node) => node.getBoundingClientRect());
    const middles = boxes.map((box) => box.left + box.width / 2 - left);
    drawings.forEach((svg, number) => drawTree(svg, trees[number], part, middles));
  }

  /* Brackets in the order in which they open, each with its parent, its height over the words and the words it has itself. */
  function treeOf(brackets) {
    const open = [];
    for (const node of brackets) {
      while (open.length && open[open.length - 1].to <= node.from) open.pop();
      node.parent = open[open.length - 1] ?? null;
      node.height = 1;
      open.push(node);
    }
    for (const node of [...brackets].reverse()) if (node.parent) node.parent.height = Math.max(node.parent.height, node.height + 1);
    return brackets;
  }

  function drawTree(svg, tree, part, middles) {
    const step = 26, top = tree.reduce((most, node) => Math.max(most, node.height), 1);
    const inside = (at) => middles[Math.min(Math.max(at - part.first, 0), middles.length - 1)];
    const x = (node) => (inside(node.from) + inside(node.to - 1)) / 2, y = (node) => (top - node.height) * step + 14, bottom = top * step + 14;
    svg.setAttribute("height", bottom + 8);
    const owner = new Map(); /* the lowest bracket over each word */
    for (const node of tree) for (let at = node.from; at < node.to; at++) owner.set(at, node);
    for (let at = part.first; at < part.last; at++) {
      if (owner.has(at)) svg.append(drawn("path", { class: "arc", d: `M ${x(owner.get(at))} ${y(owner.get(at)) + 4} L ${inside(at)} ${bottom - 10}` }));
      const text = drawn("text", { class: "leaf", x: inside(at), y: bottom + 2 });
      text.textContent = visible(part.t[at] ?? "");
      svg.append(text);
    }
    for (const node of tree) {
      const group = drawn("g", { class: `${node.mark ? "wrong" : ""}${node.here ? " here" : ""}` }), title = drawn("title", {});
      const text = drawn("text", { x: x(node), y: y(node) });
      text.textContent = visible(label(node.code));
      title.textContent = `${text.textContent}${node.note ? `: ${node.note}` : ""}`;
      if (node.parent) group.append(drawn("path", { class: "arc", d: `M ${x(node.parent)} ${y(node.parent) + 4} L ${x(node)} ${y(node) - 11}` }));
      group.append(title, text);
      svg.append(group);
    }
  }

  function drawMentions(grid, part, unit) {
    const bars = part.s.map((side) => side.map(([chain, from, to]) => ({
      start: from, end: to, gaps: [], text: String(chain), color: colorOf(chain), classes: from === data.start[unit] && to === data.end[unit] ? "here" : "",
    })));
    drawBars(grid, part, unit, bars);
  }

  function drawLabels(grid, part, unit) {
    tokensOf(grid, part, unit);
    part.s.forEach((side, number) => {
      sideName(grid, number + 2, number);
      for (let at = part.first; at < part.last; at++) {
        const row = side[at], gold = part.s[0][at], wrong = number && (!row || row[0] !== gold[0]);
        put(grid, make("bdi", `cell${wrong ? " wrong" : ""}${at === data.start[unit] ? " here" : ""}`, row ? visible(label(row[0])) : "–"), number + 2, at - part.first + 2);
      }
    });
  }

  function drawArcsOf(grid, part, unit) {
    tokensOf(grid, part, unit);
    const drawings = part.s.map((side, number) => {
      sideName(grid, number + 2, number);
      const svg = drawn("svg", { class: "arcs", role: "img", "aria-label": `${number ? systems[number - 1] : "gold"}: ${arcsInWords(side, part.t)}` });
      put(grid, svg, number + 2, 2, -1);
      return svg;
    });
    const left = drawings[0].getBoundingClientRect().left;
    const middles = [...grid.querySelectorAll(".token")].map((node) => { const box = node.getBoundingClientRect(); return box.left + box.width / 2 - left; });
    drawings.forEach((svg, number) => drawArcs(svg, part.s[number], middles, data.start[unit]));
  }

  function drawn(tag, attributes) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  }

  /* Labels and heads of a word: its tree's, or those of its enhanced edges. */
  const edgesOf = (row) => (isOfEdges ? row.slice(2).flatMap((code, at, all) => (at % 2 ? [] : [[code, all[at + 1]]])) : [[row[0], row[1]]]);

  const arcsInWords = (side, tokens) => side.flatMap((row, at) => (row ? edgesOf(row).map(([code, head]) => visible(`${tokens[at]} is ${label(code)}${head >= 0 ? ` of ${tokens[head]}` : ""}`)) : [])).join("; ");

  /* How deep arcs hang: below all those that begin and end under them; each has a dependent, a head and a level. */
  function arcsOf(side) {
    const all = side.flatMap((row, at) => (row ? edgesOf(row).map(([code, head]) => ({ at, code, head, isArc: head >= 0 && head !== at, from: Math.min(at, head), to: Math.max(at, head), level: 1 })) : []));
    const arcs = all.filter((arc) => arc.isArc).sort((one, other) => one.to - one.from - (other.to - other.from));
    arcs.forEach((arc, number) => { for (const under of arcs.slice(0, number)) if (under.from < arc.to && under.to > arc.from) arc.level = Math.max(arc.level, under.level + 1); });
    return all;
  }

  function drawArcs(svg, side, middles, here) {
    const all = arcsOf(side), height = 18 * all.reduce((most, arc) => Math.max(most, arc.isArc ? arc.level : 0), 1) + 22;
    svg.setAttribute("height", height);
    for (const { at, code, head, isArc, level } of all) {
      const x = middles[at], group = drawn("g", at === here ? { class: "here" } : {});
      const depth = isArc ? 18 * level : height - 18, to = isArc ? middles[head] : x;
      const side = Math.sign(to - x) * Math.min(8, Math.abs(to - x) / 3), near = x + side / 2, far = to - side / 2;
      const path = isArc ? `M ${far} 0 C ${far} ${depth * 0.7}, ${far - side} ${depth}, ${far - side * 2} ${depth} L ${near + side * 2} ${depth} C ${near + side} ${depth}, ${near} ${depth * 0.7}, ${near} 5` : `M ${x} ${depth} V 5`;
      const text = drawn("text", isArc ? { x: (x + to) / 2, y: depth + 4 } : { x, y: height - 6 });
      const tip = isArc ? near : x;
      text.textContent = visible(label(code)) + (head === -2 ? " (head elsewhere)" : "");
      group.append(drawn("path", { class: "arc", d: path }), drawn("path", { class: "tip", d: `M ${tip} 0 l -3.5 6 h 7 z` }), text);
      svg.append(group);
    }
    for (const chosen of [...svg.querySelectorAll(".here")]) svg.append(chosen); /* above the others */
  }

  /* The filters: a control for each field, all of which write the address. */
  function control(key, title, options) {
    const node = make("label", "", title), select = make("select");
    select.name = key;
    const any = make("option", "", "any");
    any.value = "";
    select.append(any);
    for (const [value, text] of options) { const option = make("option", "", visible(text)); option.value = "=" + value; select.append(option); }
    select.addEventListener("change", () => go({ ...wanted, unit: undefined, [key]: select.value ? select.value.slice(1) : undefined }));
    node.append(select);
    form.append(node);
  }

  function buildFilters() {
    const used = (field, has) => [...new Set(classes.filter((each) => each[has]).map((each) => each[field]))].sort();
    const named = (values) => [["", "none"], ...values.map((value) => [value, value])];
    control("system", "system", systems.map((name) => [name, name]));
    control("kind", "verdict", [...new Set(classes.map((each) => each.kind))].map((kind) => [kind, kind.replace("_", " ")]));
    control("gold", data.antecedents ? data.label_name : `gold ${data.label_name}`, named(used("gold", "hasGold")));
    if (!data.antecedents) control("predicted", `system's ${data.label_name}`, named(used("predicted", "hasPredicted")));
    if (systems.length > 1) {
      control("from", "from", systems.map((name) => [name, name]));
      control("to", "to", systems.map((name) => [name, name]));
      control("change", "change", [["correction", "corrections"], ["new_error", "new errors"], ["changed_error", "changed errors"]]);
      control("solved", "systems right", [...Array(systems.length + 1).keys()].map((count) => [count, String(count)]));
    }
    const node = make("label", "", "text"), input = make("input");
    input.type = "search";
    input.name = "text";
    input.addEventListener("input", () => go({ ...wanted, unit: undefined, text: input.value || undefined }, true));
    node.append(input);
    const clear = make("button", "", "Clear");
    clear.type = "button";
    clear.addEventListener("click", () => go({}));
    form.append(node, clear);
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  function go(next, quietly) {
    const target = address(next);
    if (quietly) { history.replaceState(null, "", target); update(false); }
    else if (location.hash !== target) location.hash = target;
  }

  function update(isNew) {
    const begin = performance.now();
    clearTimeout(writing);
    wanted = state();
    fillFilters();
    shown = select(wanted);
    const further = described(wanted);
    status.textContent = `${shown.length.toLocaleString("en")} of ${size.toLocaleString("en")} units` + (further.length ? ` (${visible(further.join(", "))})` : "");
    list.scrollTop = 0;
    choose(Math.max(0, shown.indexOf(Number(wanted.unit ?? -1))));
    document.documentElement.dataset.filterMs = (performance.now() - begin).toFixed(1); /* with the list and the unit drawn */
    if (!isNew || !location.hash.startsWith("#units") || form.contains(document.activeElement)) return;
    byId("units").scrollIntoView();
    list.focus({ preventScroll: true });
  }

  function fillFilters() {
    for (const node of form.querySelectorAll("select, input")) {
      const value = wanted[node.name];
      if (node.tagName === "INPUT") { if (node.value !== (value ?? "")) node.value = value ?? ""; continue; }
      const target = value === undefined ? "" : "=" + value;
      if (value !== undefined && ![...node.options].some((option) => option.value === target)) { const option = make("option", "", visible(value)); option.value = target; node.append(option); }
      node.value = target;
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape") { event.target.blur?.(); return go({}); }
    if (typing) return;
    const steps = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const inList = list.contains(document.activeElement) || document.activeElement === list;
    if (event.key === "/") { event.preventDefault(); byId("units").scrollIntoView(); form.querySelector("input").focus(); }
    else if (event.key in steps && (event.key.length === 1 || inList)) { event.preventDefault(); step(current + steps[event.key]); }
    else if (inList && event.key === "Home") { event.preventDefault(); step(0); }
    else if (inList && event.key === "End") { event.preventDefault(); step(shown.length - 1); }
  });
  list.addEventListener("scroll", draw, { passive: true });
  window.addEventListener("resize", () => choose(current));
  window.addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
  window.addEventListener("hashchange", () => update(true));
  buildFilters();
  update(true);
  document.documentElement.dataset.ready = "true";
})();
