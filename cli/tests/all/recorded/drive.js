// Uses the page as a reader does, by mouse and keys, and says what does not follow. Run in a copy of the page (`page.rs`).
(() => {
  const wrong = [];
  let checks = 0;
  const check = (what, is, ...got) => { checks++; if (!is) wrong.push(`${what}: ${JSON.stringify(got)}`); };
  const by = id => document.getElementById(id), all = query => [...document.querySelectorAll(query)];
  const exact = () => Number(by("total").dataset.exact);
  const rows = () => all("#rows tr").map(row => ({name: row.children[0].textContent, amount: Number(row.children[1].dataset.exact), row}));
  const sum = () => rows().reduce((sum, row) => sum + row.amount, 0);
  const set = (id, value) => {
    by(id)[by(id).type === "checkbox" ? "checked" : "value"] = value;
    by(id).dispatchEvent(new Event("input", {bubbles: true}));
  };
  const key = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  const picture = () => by("flame").toDataURL();
  const chips = () => all("#chips button").map(chip => chip.textContent);
  const at = (target, share, fromBottom, type, Kind = MouseEvent) => {
    const box = target.getBoundingClientRect();
    target.dispatchEvent(new Kind(type, {clientX: box.left + box.width * share, clientY: box.bottom - fromBottom, bubbles: true}));
  };
  const violations = [];
  document.addEventListener("securitypolicyviolation", event => violations.push(event.blockedURI));

  const whole = exact(), first = picture();
  check("all is shown", whole > 0 && sum() === whole && chips().length === 0 && !by("none").hidden, whole, sum());
  check("a class like a script is text", rows().some(row => row.name.includes("<\/script>")) && document.title !== "taken_over");

  const pictures = new Set();
  for (const {value} of by("value").options) {
    set("value", value);
    check(`rows add up to the total of ${value}`, sum() === exact() && exact() > 0, sum(), exact());
    pictures.add(picture());
  }
  check("each number has a picture of its own", pictures.size >= 5, pictures.size);
  set("value", "bytes");

  for (const id of ["reversed", "icicle"]) {
    set(id, true);
    check(`${id} turns the picture, not the total`, picture() !== first && exact() === whole && location.hash.includes(id + "=1"), location.hash);
    set(id, false);
  }
  set("find", "serve");
  check("what is searched is found", by("found").textContent.includes("found") && picture() !== first && exact() === whole, by("found").textContent);
  set("find", "");

  // By mouse: the frame above all.
  at(by("flame"), 0.01, 28, "mousemove");
  check("a frame is described", by("detail").textContent.startsWith("a.Main.main: "), by("detail").textContent);
  at(by("flame"), 0.01, 28, "click");
  const under = exact();
  check("a frame is zoomed to, and all follows", under < whole && sum() === under && chips()[0] === "under a.Main.main", under, sum(), chips());
  check("and stands in the address", location.hash.includes("under="), location.hash);
  check("bars follow", by("bars").querySelectorAll("rect.bar").length > 0);
  key(document, "Escape");
  check("Escape shows all", exact() === whole && chips().length === 0, exact(), chips());
  // By keys.
  by("flame").focus();
  key(by("flame"), "Home");
  key(by("flame"), "ArrowUp");
  check("arrows walk", by("detail").textContent.startsWith("a.Main.main: "), by("detail").textContent);
  key(by("flame"), "ArrowUp");
  const inner = by("detail").textContent;
  key(by("flame"), "ArrowRight");
  check("and to the side", inner !== by("detail").textContent && !inner.startsWith("a.Main.main"), inner, by("detail").textContent);
  key(by("flame"), "Enter");
  check("Enter zooms", exact() < under && chips().length === 1, exact(), chips());
  all("#chips button")[0].click();
  check("a choice is undone by its button", exact() === whole, exact());
  by("flame").blur();
  key(document.body, "/");
  check("a slash searches", document.activeElement === by("find"));

  const most = rows()[0], curve = by("curve").innerHTML;
  most.row.click();
  check("a class is chosen", exact() === most.amount && chips()[0] === most.name && rows().length > 1, exact(), chips());
  check("its curve is shown", by("whose").textContent.includes(most.name) && by("curve").querySelector("path.curve") !== null);
  key(rows()[1].row, "Enter");
  check("another one by keys", exact() === rows()[1].amount && by("rows").querySelector("[aria-selected=true]") === rows()[1].row);
  key(document, "Escape");

  const bars = () => by("bars").querySelectorAll("rect.bar").length, byTime = bars();
  for (const clock of ["gcs", "bytes", "ms"]) {
    const button = document.querySelector(`[data-clock=${clock}]`);
    button.click();
    // The recording's objects have no ages in bytes.
    const drawn = clock === "bytes" ? by("bars").textContent.includes("nothing") : bars() > 0;
    check(`the clock ${clock} is chosen`, button.getAttribute("aria-pressed") === "true" && drawn, bars());
  }
  check("and back", bars() === byTime && by("curve").innerHTML === curve);
  by("bars").querySelector("g.choice").dispatchEvent(new MouseEvent("click", {bubbles: true}));
  check("a bar chooses a band", by("to").value !== "" && exact() < whole && chips()[0].startsWith("lived "), by("to").value, chips());
  by("bars").querySelector("g.choice").dispatchEvent(new MouseEvent("click", {bubbles: true}));
  check("and again all", by("to").value === "" && exact() === whole, by("to").value);
  set("from", "soon");
  check("nonsense is said", by("wrong").textContent.includes("30s") && exact() === whole);
  set("from", "");

  at(by("lanes"), 0.2, 60, "pointerdown", PointerEvent);
  at(by("lanes"), 0.6, 60, "pointerup", PointerEvent);
  check("a time is dragged over", by("since").value !== "" && by("lanes").querySelector(".during") && exact() < whole && chips()[0].startsWith("during "), chips());
  set("value", "survived");
  check("what is not known of a part is said", by("wrong").textContent.includes("whole run"));
  set("value", "bytes");
  by("reset").click();
  check("a button shows all", exact() === whole && chips().length === 0 && by("since").value === "");

  document.querySelector("[data-sort=name]").click();
  const names = rows().map(row => row.name);
  check("rows are sorted", String(names) === String([...names].sort()) && document.querySelector("[aria-sort=ascending]"), names);
  by("filter").value = "byte";
  by("filter").dispatchEvent(new Event("input"));
  check("rows are filtered", rows().length === 1 && rows()[0].name === "byte[]", rows().length);
  check("with a small picture", by("rows").querySelector("svg.spark path")?.getAttribute("d").length > 10);
  by("filter").value = "";
  by("filter").dispatchEvent(new Event("input"));

  // A recursion beside what all else is: a graph of its own.
  const tower = [{frame: null, amount: 100, x: 0, width: 1, depth: 0, above: null}];
  tower.push({frame: 0, amount: 99, x: 0, width: 0.99, depth: 1, above: tower[0]});
  for (let depth = 1; depth < 200; depth++) tower.push({frame: 1, amount: 1, x: 0.99, width: 0.01, depth, above: depth === 1 ? tower[0] : tower.at(-1)});
  const canvas = document.createElement("canvas"), high = () => parseInt(canvas.style.height) / 19;
  const graph = flameGraph({canvas, rectangles: () => tower, name: frame => ["wide", "narrow"][frame] ?? "all", growth: () => null});
  graph.draw({icicle: false, find: "", zoomed: 0});
  check("a narrow tower leaves no blank", high() === 30 && graph.cut === 200 - 30, high(), graph.cut);
  graph.draw({icicle: false, find: "narrow", zoomed: 0});
  check("what is cut is found, each once", graph.found === 1, graph.found);
  graph.onPaper = true;
  graph.draw();
  check("paper is lower still", high() === 24, high());
  for (const one of tower) one.width = 1;
  graph.onPaper = false;
  graph.draw();
  check("a wide tower is shown", high() === 200 && graph.cut === 0, high(), graph.cut);

  const onScreen = by("flame").width;
  window.dispatchEvent(new Event("beforeprint"));
  check("what is printed is drawn for paper", by("flame").width === 718 * devicePixelRatio, by("flame").width);
  window.dispatchEvent(new Event("afterprint"));
  check("and drawn for the screen again", by("flame").width === onScreen, by("flame").width, onScreen);

  check("nothing is fetched", performance.getEntriesByType("resource").length === 0 && violations.length === 0, violations);
  check("nothing is wider than the window", document.documentElement.scrollWidth <= window.innerWidth, document.documentElement.scrollWidth, window.innerWidth);
  check("all controls have names", all("input, select, button").every(one => one.textContent.trim() || one.ariaLabel || one.labels?.length));
  return {checks, wrong, width: window.innerWidth, paper: getComputedStyle(document.body).backgroundColor};
})();
