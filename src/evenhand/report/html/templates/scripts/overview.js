/* What to fix first: the chosen system, and examples with links to their units. */
function buildFixes() {
  const place = byId("fix-first"), parts = [...place.querySelectorAll(".fixes")];
  for (const link of place.querySelectorAll("[data-unit]")) link.href = address({ ...parsed(link.hash), unit: idOf(Number(link.dataset.unit)) });
  if (parts.length < 2) return;
  const select = make("select");
  select.setAttribute("aria-label", "system");
  systems.forEach((name, at) => { const option = new Option(shortNames[at], at); option.title = visible(name); select.append(option); });
  const show = () => parts.forEach((part, at) => { part.hidden = at !== Number(select.value); });
  const follow = () => { const { system } = viewOptions("fix-first"); if (systems.includes(system)) { select.value = systems.indexOf(system); show(); } };
  select.addEventListener("change", () => { show(); noteView("fix-first", { system: systems[Number(select.value)] }); });
  window.addEventListener("hashchange", follow);
  place.querySelector("h3").append(" ", select);
  follow();
}
