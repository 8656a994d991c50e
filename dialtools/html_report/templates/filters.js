(function () {
  "use strict";
  const names = ["system", "lang", "kind"];
  function hint(box) {
    const said = document.createElement("p");
    said.className = "more";
    said.textContent = "Wider than the window: scroll it sideways.";
    box.before(said);
    new ResizeObserver(function () {
      said.hidden = box.scrollWidth <= box.clientWidth + 1;
    }).observe(box);
  }
  function begin(root) {
    root.dataset.ready = "yes";
    root.querySelectorAll(".scroll, .frame").forEach(hint);
    const form = root.querySelector("form.filters");
    if (!form) { return; }
    const items = Array.from(root.querySelectorAll("[data-filtered]"));
    const said = form.querySelector("output");
    function isShown(item) {
      const id = form.elements.id ? form.elements.id.value.trim().toLowerCase() : "";
      const fits = names.every(function (name) {
        const wanted = form.elements[name] ? form.elements[name].value : "";
        const own = item.dataset[name];
        return !wanted || !own || own.split("\n").includes(wanted);
      });
      const own = item.dataset.id;
      return fits && (!id || own === undefined || own.toLowerCase().includes(id));
    }
    function choose() {
      let rows = 0, cases = 0, allRows = 0, allCases = 0;
      items.forEach(function (item) {
        const shown = isShown(item), isCase = item.tagName === "ARTICLE";
        item.hidden = !shown;
        allCases += isCase ? 1 : 0;
        allRows += isCase ? 0 : 1;
        cases += isCase && shown ? 1 : 0;
        rows += !isCase && shown ? 1 : 0;
      });
      said.textContent = rows + " of " + allRows + " rows" +
        (allCases ? " and " + cases + " of " + allCases + " cases" : "") + " are shown.";
    }
    form.hidden = false;
    form.addEventListener("input", choose);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.addEventListener("reset", function () { setTimeout(choose, 0); });
    choose();
  }
  document.querySelectorAll(".dt-report:not([data-ready])").forEach(begin);
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll(".dt-report .case details").forEach(function (one) { one.open = true; });
  });
}());
