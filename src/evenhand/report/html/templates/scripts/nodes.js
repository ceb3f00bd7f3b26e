/* Parts of the page, and new nodes. */
const byId = (id) => document.getElementById(id);
const list = byId("list"), rows = byId("rows"), detail = byId("detail"), status = byId("status"), form = byId("filters");

function make(tag, name, text) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

/* A number with its noun: 1 unit, 2,000 units. */
const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/* Control characters as text: symbols for line feeds and tabs, codes for others and for marks of direction. */
const SIGNS = { "\n": "↵", "\t": "⇥" };
function visible(text) {
  const code = (char) => char.charCodeAt(0).toString(16);
  const spelled = (char) => (char < "\u0100" ? "\\x" + code(char).padStart(2, "0") : "\\u" + code(char));
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu, (char) => SIGNS[char] ?? spelled(char));
}

function drawn(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}
