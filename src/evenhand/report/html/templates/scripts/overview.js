/* What to fix first, and the worst slices: the chosen system, and examples with links to their units. */
function buildFixes(id) {
  const place = byId(id);
  if (!place) return;
  const parts = [...place.querySelectorAll(".fixes")], notes = [...place.querySelectorAll("summary small")];
  for (const link of place.querySelectorAll("[data-unit]")) link.href = address({ ...parsed(link.hash), unit: idOf(Number(link.dataset.unit)) });
  if (parts.length < 2) return;
  const select = make("select");
  select.setAttribute("aria-label", "system");
  systems.slice(0, parts.length).forEach((name, at) => { const option = new Option(shortNames[at], at); option.title = visible(name); select.append(option); });
  const show = () => [parts, notes].forEach((each) => each.forEach((part, at) => { part.hidden = at !== Number(select.value); }));
  const follow = () => { const { system } = viewOptions(id); if (systems.slice(0, parts.length).includes(system)) { select.value = systems.indexOf(system); show(); } };
  select.addEventListener("change", () => { show(); noteView(id, { system: systems[Number(select.value)] }); });
  window.addEventListener("hashchange", follow);
  const chosen = place.querySelector(".chosen");
  if (chosen) chosen.replaceChildren(select); else place.querySelector("h3").append(" ", select);
  follow();
}
