/* Addresses other than lists of units: folded parts (#system-crf), a pair (#differences?from=a&to=b), whose errors to fix
   (#fix-first?system=a). */
function viewOptions(name) {
  const [view, ...rest] = location.hash.slice(1).split("?");
  if (view !== name) return {};
  return Object.fromEntries(rest.join("?").split("&").filter(Boolean).map((part) => { const [key, ...value] = part.split("="); return [key, decoded(value.join("="))]; }));
}

function noteView(name, options) {
  history.replaceState(null, "", `#${name}?${Object.entries(options).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`);
}

/* Open the part in the address, and the parts around it. */
function openPart() {
  const part = byId(location.hash.slice(1).split("?")[0]);
  if (!part) return;
  for (let node = part; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  if (part.id !== "units") part.scrollIntoView();
}

function buildViews() {
  for (const part of document.querySelectorAll("main details[id]:not(form details)")) part.querySelector("summary").addEventListener("click", () => { if (!part.open) history.replaceState(null, "", `#${part.id}`); });
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); byId("units").scrollIntoView(); form.querySelector("select, input").focus(); });
  window.addEventListener("hashchange", openPart);
  openPart();
}
