// Chooses in a page as a reader does, and writes how long each choice took to the console. Run in a copy of the page.
document.addEventListener("ready", () => {
  const by = id => document.getElementById(id), rows = [["open and draw all", performance.now()]];
  const timed = (what, choose) => {
    const times = [];
    for (let round = 0; round < 5; round++) {
      const begun = performance.now();
      choose(round);
      // What was drawn is on the canvas only when it is asked for.
      by("flame").getContext("2d").getImageData(0, 0, 1, 1);
      by("rows").getBoundingClientRect();
      times.push(performance.now() - begun);
    }
    rows.push([what + " (longest of 5)", Math.max(...times)]);
  };
  const set = (id, value) => {
    by(id)[by(id).type === "checkbox" ? "checked" : "value"] = value;
    by(id).dispatchEvent(new Event("input", {bubbles: true}));
  };
  timed("another number", round => set("value", by("value").options[round].value));
  set("value", "bytes");
  timed("a band of lifetimes", round => set("from", (round + 1) + "ms"));
  set("from", "");
  timed("a time", round => set("until", (round + 1) + "s"));
  set("until", "");
  timed("a class", () => by("rows").children[1].click());
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
  timed("a search", round => set("find", "method" + round));
  set("find", "");
  timed("class first", round => set("reversed", round % 2 === 0));
  console.log("took: " + rows.map(([what, ms]) => `${what}=${ms.toFixed(0)}`).join(", "));
});
