// Draw every chart in its place. Where one cannot be drawn, show the picture a reader without JavaScript sees.
(function () {
  var options = { actions: false, renderer: "svg", tooltip: { theme: "page" } };
  var specs = Array.prototype.slice.call(document.querySelectorAll("script.specification"));
  function still(figure) {
    var saved = figure.querySelector("noscript.fallback");
    if (!saved) return;
    figure.querySelector(".panels").innerHTML = saved.textContent;
    saved.remove();
  }
  var drawn = specs.map(function (spec) {
    var place = spec.parentNode.querySelector(".chart");
    return vegaEmbed(place, JSON.parse(spec.textContent), options).catch(function (error) {
      console.error(error);
      still(spec.closest("figure"));
    });
  });
  Promise.all(drawn).then(function () { document.documentElement.dataset.charts = "drawn"; });
  function hints() { // a box that hides something says that it scrolls
    document.querySelectorAll(".scrolls").forEach(function (box) {
      box.classList.toggle("overflows", box.scrollWidth > box.clientWidth + 4);
    });
  }
  hints();
  window.addEventListener("resize", hints);
  document.addEventListener("toggle", hints, true);
  window.addEventListener("beforeprint", function () { window.dispatchEvent(new Event("resize")); });
})();
