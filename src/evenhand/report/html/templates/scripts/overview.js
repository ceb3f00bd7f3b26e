/* What to fix first: the chosen system, and examples with links to their units. */
function buildFixes() {
  const place = byId("fix-first"), parts = [...place.querySelectorAll(".fixes")];
  for (const link of place.querySelectorAll("[data-unit]")) link.href = address({ ...parsed(link.hash), unit: idOf(Number(link.dataset.unit)) });
  if (parts.length < 2) return;
  const node = make("label", "", "of "), select = make("select");
  data.order.forEach((system, at) => { const option = make("option", "", visible(systems[system])); option.value = at; select.append(option); });
  const show = () => parts.forEach((part, at) => { part.hidden = at !== Number(select.value); });
  const follow = () => { const { system } = viewOptions("fix-first"); if (systems.includes(system)) { select.value = data.order.indexOf(systems.indexOf(system)); show(); } };
  select.addEventListener("change", () => { show(); noteView("fix-first", { system: systems[data.order[Number(select.value)]] }); });
  window.addEventListener("hashchange", follow);
  node.append(select);
  place.querySelector("h3").after(node);
  follow();
}
