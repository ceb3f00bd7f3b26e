/* Decisions on suspects: buttons and keys, kept by the browser, and saved as a file of overrides. */
const byId = (id) => document.getElementById(id);
const { key, overrides, name } = await unpack();
const STORE = "evenhand-suspects-" + key;
const KEYS = { a: "accepted", r: "right", u: "unclear" };
const WORDS = { accepted: "accepted", right: "right in the gold standard", unclear: "unclear" };
const cards = [...document.querySelectorAll(".card")];
const canDecide = (index) => Boolean(overrides[index]);
let decisions = {}, current = -1;

/* The browser may refuse to keep anything, for example in private windows. */
function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORE) ?? "{}");
    for (const [index, decision] of Object.entries(kept)) if (canDecide(index) && WORDS[decision]) decisions[index] = decision;
    keep();
    byId("kept").textContent = "This browser keeps your decisions.";
  } catch {
    byId("kept").textContent = "This browser does not keep decisions: save the file before you leave the page.";
  }
}

function keep() {
  localStorage.setItem(STORE, JSON.stringify(decisions));
}

function show(index) {
  const decision = decisions[index];
  if (decision) cards[index].dataset.decision = decision;
  else delete cards[index].dataset.decision;
  for (const button of cards[index].querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.decision === decision));
}

function count() {
  const made = Object.values(decisions), total = overrides.filter(Boolean).length;
  const parts = Object.entries(WORDS).map(([decision, word]) => [made.filter((one) => one === decision).length, word]).filter(([number]) => number);
  const detail = parts.length ? ": " + parts.map(([number, word]) => number.toLocaleString("en") + " " + word).join(", ") : "";
  byId("progress").textContent = made.length.toLocaleString("en") + " of " + total.toLocaleString("en") + " reviewed" + detail;
  byId("next").disabled = made.length === total;
}

function decide(index, decision) {
  if (!canDecide(index)) return;
  if (decisions[index] === decision) delete decisions[index];
  else decisions[index] = decision;
  try { keep(); } catch { /* said above */ }
  show(index);
  count();
}

function go(index) {
  if (!cards[index]) return;
  cards[current]?.classList.remove("current");
  current = index;
  cards[index].classList.add("current");
  cards[index].focus({ preventScroll: true });
  cards[index].scrollIntoView({ block: "nearest" });
}

const undecided = (from) => cards.findIndex((_, index) => index >= from && canDecide(index) && !decisions[index]);

/* The line of a suspect after the review; the proposal of a rejected one is kept beside its verdict. */
function reviewed(index) {
  const line = overrides[index], decision = decisions[index];
  if (!decision) return line;
  if (decision === "accepted") return { ...line, status: "accepted" };
  return { ...line, verdict: decision, status: "accepted", proposed: line.verdict };
}

function save() {
  const lines = cards.map((_, index) => index).filter(canDecide).map((index) => JSON.stringify(reviewed(index)) + "\n");
  const link = document.createElement("a"), file = URL.createObjectURL(new Blob(lines, { type: "application/x-ndjson" }));
  link.href = file;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(file), 1000);
}

if (overrides.some(Boolean)) {
  load();
  cards.forEach((card, index) => {
    const decisionButtons = card.querySelector(".decide");
    if (decisionButtons) decisionButtons.hidden = false;
    for (const button of card.querySelectorAll("button")) button.addEventListener("click", () => decide(index, button.dataset.decision));
    card.addEventListener("focusin", () => { if (current !== index) { cards[current]?.classList.remove("current"); current = index; card.classList.add("current"); } });
    if (canDecide(index)) show(index);
  });
  count();
  byId("review").hidden = false;
  byId("save").addEventListener("click", save);
  byId("next").addEventListener("click", () => { const next = undecided(current + 1); go(next < 0 ? undecided(0) : next); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const decision = KEYS[event.key];
    if (decision && current < 0) go(Math.max(0, undecided(0)));
    else if (decision) {
      decide(current, decision);
      if (decisions[current]) go(current + 1);
    } else if (event.key === "j") go(Math.min(current + 1, cards.length - 1));
    else if (event.key === "k") go(Math.max(current - 1, 0));
    else return;
    event.preventDefault();
  });
}
document.documentElement.dataset.ready = "true";
