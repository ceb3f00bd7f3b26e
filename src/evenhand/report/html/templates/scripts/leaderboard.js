"use strict";
(() => {
const value = cell => {
  const text = cell.dataset.value;
  return text === undefined ? null : isNaN(text) ? text : Number(text);
};
const compared = (one, other) => {
  if (one === null || other === null) return (one === null) - (other === null);
  return typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));
};
for (const table of document.querySelectorAll("table.board")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], original = [...body.rows];
  const byRank = heads.length > 0 && heads[0].textContent === "Rank";
  if (byRank) table.dataset.byRank = "";
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const isScore = head.classList.contains("number") && !/Rank|Cluster|^p$/.test(button.textContent);
      const old = head.getAttribute("aria-sort");
      const descends = old ? old === "ascending" : isScore;
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descends ? "descending" : "ascending");
      const rows = [...original].sort((one, other) => {
        const [a, b] = [value(one.cells[column]), value(other.cells[column])];
        return a === null || b === null || !descends ? compared(a, b) : compared(b, a);
      });
      body.append(...rows);
      if (byRank && column === 0 && !descends) table.dataset.byRank = "";
      else delete table.dataset.byRank;
    });
  });
  if (original.length > 8) {
    const filter = document.createElement("input");
    filter.type = "search";
    filter.className = "filter";
    filter.placeholder = "Filter rows";
    filter.setAttribute("aria-label", "Filter rows");
    filter.addEventListener("input", () => {
      const text = filter.value.toLowerCase();
      for (const row of original) row.hidden = !row.textContent.toLowerCase().includes(text);
    });
    table.parentElement.before(filter);
  }
}
const tabs = [...document.querySelectorAll(".tabs a")];
const show = () => {
  const chosen = tabs.find(tab => tab.hash === location.hash) || tabs[0];
  for (const tab of tabs) {
    document.getElementById(tab.hash.slice(1)).hidden = tab !== chosen;
    if (tab === chosen) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
};
if (tabs.length) {
  addEventListener("hashchange", show);
  show();
}
document.documentElement.dataset.ready = "true";
})();
