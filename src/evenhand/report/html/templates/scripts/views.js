/* Addresses of what is not a list of units: folded parts (#system-crf), a pair (#differences?from=a&to=b), whose errors to fix
   (#fix-first?system=a). */
function askedOf(name) {
  const [found, ...rest] = location.hash.slice(1).split("?");
  if (found !== name) return {};
  return Object.fromEntries(rest.join("?").split("&").filter(Boolean).map((part) => { const [key, ...value] = part.split("="); return [key, decoded(value.join("="))]; }));
}

function noteView(name, asked) {
  history.replaceState(null, "", `#${name}?${Object.entries(asked).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`);
}

/* Open what the address names, and what it is in. */
function openPart() {
  const part = byId(location.hash.slice(1).split("?")[0]);
  if (!part) return;
  for (let node = part; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  if (part.id !== "units") part.scrollIntoView();
}

function buildViews() {
  for (const part of document.querySelectorAll("details[id]")) part.querySelector("summary").addEventListener("click", () => { if (!part.open) history.replaceState(null, "", `#${part.id}`); });
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); byId("units").scrollIntoView(); form.querySelector("select, input").focus(); });
  window.addEventListener("hashchange", openPart);
  openPart();
}
