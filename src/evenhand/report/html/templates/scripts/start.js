/* Reactions to changes of the address and to keys; and the first view. */
function go(next, quietly) {
  const target = address(next);
  if (quietly) { history.replaceState(null, "", target); update(false); }
  else if (location.hash !== target) location.hash = target;
}

function update(isNew) {
  const begin = performance.now();
  clearTimeout(writing);
  filters = state();
  fillFilters();
  shown = sorted(select(filters), filters);
  drawHead();
  const further = described(filters);
  status.textContent = `${shown.length.toLocaleString("en")} of ${counted(size, "unit")}` + (further.length ? ` (${visible(further.join(", "))})` : "") + lacked();
  list.scrollTop = 0;
  choose(Math.max(0, filters.unit === undefined ? 0 : shown.indexOf(unitOf(filters.unit))));
  document.documentElement.dataset.filterMs = (performance.now() - begin).toFixed(1); /* with the list and the unit drawn */
  if (!isNew || !location.hash.startsWith("#units") || form.contains(document.activeElement)) return;
  byId("units").scrollIntoView();
  list.focus({ preventScroll: true });
}

/* Pages of large corpora have only their first units; a link to more units than the page has says so. */
const firstUnits = `the first ${size.toLocaleString("en")} of ${counted(data.total, "unit")}`;
let followed = { hash: "", count: 0 };
if (size < data.total) {
  document.addEventListener("mouseover", (event) => { const link = event.target.closest('a[href^="#units"]'); if (link && !link.title) link.title = `The page has ${firstUnits}.`; });
  document.addEventListener("click", (event) => { const link = event.target.closest('a[href^="#units"]'); if (link) followed = { hash: link.hash, count: Number(link.textContent.replaceAll(",", "")) }; }, true);
}
const lacked = () => (followed.hash === location.hash && followed.count > shown.length ? `, counted ${followed.count.toLocaleString("en")}: the page has ${firstUnits}` : "");

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
window.addEventListener("hashchange", () => update(true));
buildFilters();
buildFixes("fix-first");
buildFixes("worst-slices");
buildEntities();
buildPairs();
buildPrint();
buildDownload();
update(true);
buildViews();
document.documentElement.dataset.ready = "true";
