/* Places of several annotators, filtered by the address of the page; with one lane per annotator. */
const FIRST = 10, STEP = 50; /* number of places at first, and to add at a time */
const WINDOW = 120; /* maximum number of tokens, around the place */
let data;
try { data = await unpack(); } catch (problem) { status.textContent = `This browser cannot unpack the places (${problem.message}). Try a newer one.`; return; }
data.start = data.places.map((place) => place.start);
data.end = data.places.map((place) => place.end);
const sideNames = [...data.short_names, "vote"].map(visible), sideTitles = [...data.annotators, "vote"].map(visible);
const shortOf = (name) => data.short_names[data.annotators.indexOf(name)];
const codes = new Map(data.labels.map((label, code) => [label, code]));
const answerOf = (place, name) => JSON.stringify(place.answers[data.annotators.indexOf(name)]);
const hasLabel = (place, label) => place.answers.some((answers) => answers && answers.some((each) => each[2] === label));
const isOf = {
  state: (place, state) => place.state === state,
  label: hasLabel,
  document: (place, name) => data.sentences[place.at].d === name,
  pair: (place, pair) => { const [one, other] = pair.split("\t").map((name) => answerOf(place, name)); return one !== "null" && other !== "null" && one !== other; },
};
let matching = [], shown = 0;

/* The filters in the address: #places?label=PER&state=undecided */
function addressFilters() {
  const [name, query] = location.hash.slice(1).split("?");
  return name === "places" ? Object.fromEntries([...new URLSearchParams(query ?? "")].filter(([key, value]) => key in isOf && value)) : {};
}

function select(name, title, options) {
  const label = make("label", "", title), box = make("select");
  box.name = name;
  box.append(new Option("any", ""), ...options.map(([text, value]) => new Option(visible(text), value)));
  box.value = addressFilters()[name] ?? "";
  box.addEventListener("change", () => { const chosen = new URLSearchParams([...new FormData(form)].filter(([, value]) => value)); location.hash = `places?${chosen}`; });
  label.append(box);
  return label;
}

function filters() {
  const pairs = data.annotators.flatMap((one, at) => data.annotators.slice(at + 1).map((other) => [`${data.short_names[at]} – ${shortOf(other)}`, `${one}\t${other}`]));
  const documents = [...new Set(data.sentences.map((sentence) => sentence.d))];
  const same = (names) => names.map((name) => [name, name]);
  const parts = [select("state", "state", same(["undecided", "decided", "agreed"])), select("pair", "differ", pairs), select("label", "label", same(data.labels.filter((label) => data.places.some((place) => hasLabel(place, label)))))];
  if (documents.length > 1) parts.push(select("document", "document", same(documents)));
  form.replaceChildren(...parts);
}

function update() {
  const query = Object.entries(addressFilters());
  matching = data.places.filter((place) => query.every(([name, value]) => isOf[name](place, value)));
  filters();
  status.textContent = `${matching.length.toLocaleString("en")} of ${counted(data.places.length, "place")}`;
  list.replaceChildren();
  shown = 0;
  more();
}

function more() {
  const step = shown ? STEP : FIRST;
  for (const place of matching.slice(shown, shown + step)) { const item = make("article", `place ${place.state}`); list.append(item); draw(item, place); }
  shown = Math.min(matching.length, shown + step);
  byId("more").hidden = shown >= matching.length;
  byId("more").textContent = `Show ${Math.min(STEP, matching.length - shown)} more`;
}

function draw(item, place) {
  const sentence = data.sentences[place.at], title = make("h3"), lanes = make("div", "lanes");
  title.append(make("bdi", "", visible(sentence.t.slice(place.start, place.end).join(data.space))), make("span", "state", place.state), make("bdi", "where", visible(`document ${sentence.d}, sentence ${sentence.n}${place.offsets ? `, characters ${place.offsets[0]} to ${place.offsets[1]}` : ""}`)));
  lanes.tabIndex = 0;
  lanes.setAttribute("role", "group");
  lanes.setAttribute("aria-label", "The sentence with a lane for each annotator");
  const grid = make("div", `grid-lanes${data.space ? "" : " running"}`), length = sentence.t.length;
  const isWhole = length <= WINDOW, first = isWhole ? 0 : Math.max(0, place.start - WINDOW / 2);
  const part = { t: sentence.t, length, first, last: isWhole ? length : Math.min(length, Math.max(place.end, first + WINDOW)) };
  const isHere = (start, end) => start < place.end && end > place.start;
  const bar = (code, start, end, gaps) => ({ start, end, gaps, text: data.labels[code], color: colorOf(code), classes: isHere(start, end) ? "here" : "" });
  const sides = sentence.s.map((side) => side.map(([code, start, end, ...gaps]) => bar(code, start, end, gaps)));
  const leftOut = (gaps) => gaps.flatMap(([from, to]) => Array.from({ length: to - from }, (_, at) => from + at));
  const vote = place.accepted.map(([start, end, label, gaps]) => bar(codes.get(label), start, end, leftOut(gaps ?? [])));
  const isOpen = place.state === "undecided"; /* the vote may accept some spans, but no majority has the same ones */
  sides.push(isOpen ? vote.map((each) => ({ ...each, color: "transparent", classes: "open" })) : vote);
  drawBars(grid, part, data.places.indexOf(place), sides);
  if (isOpen) grid.querySelectorAll(".side")[sides.length].textContent += " (undecided)";
  place.answers.forEach((answers, side) => { if (!answers) grid.querySelectorAll(".side")[side + 1].textContent += " (lacks it)"; });
  lanes.append(grid);
  item.append(title, lanes);
  const here = grid.querySelector(".token.here");
  if (here && here.offsetLeft + here.offsetWidth > lanes.clientWidth) lanes.scrollLeft = here.offsetLeft - lanes.clientWidth / 3;
}

byId("more").addEventListener("click", more);
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); byId("places").scrollIntoView(); form.querySelector("select").focus(); });
addEventListener("hashchange", () => { if (location.hash.startsWith("#places")) { update(); byId("places").scrollIntoView(); } });
update();
if (location.hash.startsWith("#places")) byId("places").scrollIntoView();
document.documentElement.dataset.ready = "true";
