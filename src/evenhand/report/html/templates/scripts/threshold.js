/* A slider over the points of a precision-recall curve. */
const byId = (id) => document.getElementById(id);
const { systems, unit } = await unpack();
const share = (value) => (100 * value).toFixed(1) + " %";
const number = (value) => (Number.isInteger(value) ? value : Math.round(10 * value) / 10).toLocaleString("en");
const drawn = (system, row) => 100 * system.recall[row] + "," + (100 - 100 * system.precision[row]);
const points = byId("points");
let system = systems[0];

function show() {
  const row = Number(points.value), threshold = system.threshold[row];
  const text = Number(threshold.toPrecision(3)).toString();
  byId("shown").textContent = text;
  points.setAttribute("aria-valuetext", text);
  byId("precision").textContent = share(system.precision[row]);
  byId("recall").textContent = share(system.recall[row]);
  byId("f").textContent = share(system.f[row]);
  byId("predicted").textContent = number(system.predicted[row]);
  byId("wrong").textContent = unit + (system.predicted[row] === 1 ? "" : "s") + ", " + number(system.wrong[row]) + " wrong";
  const [x, y] = drawn(system, row).split(",");
  byId("dot").setAttribute("cx", x);
  byId("dot").setAttribute("cy", y);
}

function choose(index) {
  system = systems[index];
  points.max = Math.max(0, system.threshold.length - 1);
  points.value = system.best ?? 0;
  byId("line").setAttribute("points", system.threshold.map((_, row) => drawn(system, row)).join(" "));
  byId("slider").hidden = !system.threshold.length;
  if (system.threshold.length) show();
}

systems.forEach(({ name }, index) => byId("system").append(new Option(name, index)));
byId("system").addEventListener("change", (event) => choose(Number(event.target.value)));
byId("best").addEventListener("click", () => { points.value = system.best ?? 0; show(); });
points.addEventListener("input", show);
choose(0);
document.documentElement.dataset.ready = "true";
