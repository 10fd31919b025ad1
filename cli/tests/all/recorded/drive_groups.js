// Chooses pools on the page, and says what does not follow. Run in a copy of the page (`groups.rs`).
(() => {
  const wrong = [];
  const check = (what, is, ...got) => { if (!is) wrong.push(`${what}: ${JSON.stringify(got)}`); };
  const by = id => document.getElementById(id), all = query => [...document.querySelectorAll(query)];
  const exact = () => Number(by("total").dataset.exact), picture = () => by("flame").toDataURL();
  const headings = all("#group-heads th").map(one => one.textContent);
  const lines = () => all("#group-rows tr"), line = name => lines().find(row => row.children[0].textContent === name);
  const rows = () => Object.fromEntries(lines().map(row => [row.children[0].textContent,
    Object.fromEntries(headings.map((heading, at) => [heading, row.children[at].dataset.exact]).filter(([, sum]) => sum !== undefined).map(([heading, sum]) => [heading, Number(sum)]))]));
  const chips = () => all("#chips button").map(chip => chip.textContent);
  const found = rows(), whole = exact(), first = picture(), busy = "http-nio-8080-exec-*";
  check("a button for each dimension", all("#dimension button").map(one => one.textContent).join() === "Thread pools,Class loaders");
  check("pools add up to the total", Object.values(found).reduce((sum, row) => sum + row.allocated, 0) === whole, whole);
  check("a pool is no package", all("#legend button").every(one => !one.textContent.includes("pool")), by("legend").textContent);
  line(busy).click();
  check("a pool is chosen", exact() === found[busy].allocated && exact() < whole, exact(), whole);
  check("the picture is of it", picture() !== first);
  check("classes are of it", all("#rows tr").reduce((sum, row) => sum + Number(row.children[1].dataset.exact), 0) === exact());
  check("the others are there to be chosen", JSON.stringify(rows()) === JSON.stringify(found) && line(busy).getAttribute("aria-selected") === "true", rows());
  check("it can be undone", chips().join() === "pool " + busy, chips());
  check("and stands in the address", new URLSearchParams(location.hash.slice(1)).get("pool") === busy, location.hash);
  all("#rows tr")[0].click();
  check("pools of a class", rows()[busy].allocated === exact() && exact() < found[busy].allocated, rows(), exact());
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
  check("Escape shows all", exact() === whole && picture() === first && chips().length === 0, exact(), whole);
  const [pools, loaders] = all("#dimension button"), shop = "ParallelWebappClassLoader (shop)";
  loaders.click();
  const loaded = rows();
  check("loaders are another dimension", loaders.getAttribute("aria-pressed") === "true" && Object.values(loaded).reduce((sum, row) => sum + row.allocated, 0) === whole && !loaded[busy], loaded);
  line(shop).click();
  check("a loader is chosen", exact() === loaded[shop].allocated && chips().join() === "loader " + shop, exact(), chips());
  pools.click();
  check("pools of a loader", Object.values(rows()).reduce((sum, row) => sum + row.allocated, 0) === exact(), rows());
  line(busy).click();
  check("both are chosen", exact() > 0 && exact() < loaded[shop].allocated && chips().length === 2, exact(), chips());
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
  const unknown = line("(not known: no stack was taken)");
  unknown.click();
  check("what is not known is not chosen", exact() === whole);
  by("since").value = "8s";
  by("since").dispatchEvent(new Event("input", {bubbles: true}));
  check("what is not known of a part is not 0", line(busy).children[headings.indexOf("died young")].textContent === "\u2013", line(busy).textContent);
  check("pools of a time", rows()[busy].allocated < found[busy].allocated && Object.values(rows()).reduce((sum, row) => sum + row.allocated, 0) === exact(), exact());
  return {wrong, rows: found};
})()
