// Searches and chooses traces on the page, and says what does not follow. Run in a copy of the page (`traces.rs`).
(() => {
  const wrong = [];
  const check = (what, is, ...got) => { if (!is) wrong.push(`${what}: ${JSON.stringify(got)}`); };
  const by = id => document.getElementById(id), all = query => [...document.querySelectorAll(query)];
  const exact = () => Number(by("total").dataset.exact), picture = () => by("flame").toDataURL();
  const type = (id, value) => { by(id).value = value; by(id).dispatchEvent(new Event("input", {bubbles: true})); };
  const lines = () => all("#trace-rows tr[data-row]"), sums = () => ({rows: lines().length, bytes: Number(by("trace-sum").dataset.bytes), objects: Number(by("trace-sum").dataset.objects)});
  const texts = line => [...line.children].map(cell => cell.textContent), chips = () => all("#chips button").map(chip => chip.textContent);
  const first = lines()[0].dataset.trace, whole = exact(), drawn = picture(), sum = sums();
  check("the table is there", !by("traces").hidden);
  check("columns", all("#trace-heads th").map(one => one.textContent).join() === "live,objects,oldest,trace,span,class,made by");
  check("most bytes first", lines().every((line, at) => at === 0 || Number(line.dataset.bytes) <= Number(lines()[at - 1].dataset.bytes)));
  const words = [...all("#trace-notes p").slice(0, 1).map(one => one.textContent), ...lines().map(line => texts(line).join(" "))];
  check("what is in no row is named", by("trace-notes").textContent.includes("smaller rows") && by("trace-notes").textContent.includes("not known whether still there"), by("trace-notes").textContent);

  type("trace-find", first.slice(0, 6).toUpperCase());
  const of_first = sums();
  check("found by the begin of its id", of_first.rows < sum.rows && lines().every(line => line.dataset.trace === first), of_first);
  check("the search stands in the address", location.hash.includes("trace-find="), location.hash);
  type("trace-find", "no such");
  check("or not", lines().length === 0 && by("trace-sum").textContent === "No row has it.", by("trace-sum").textContent);
  type("trace-find", "");

  lines()[0].click();
  check("its stack is shown", all("#trace-rows .stack li").map(one => one.textContent).join() === "a.Main.serve(Main.java:7),a.Main.main(Main.java:7)", all("#trace-rows .stack").map(one => one.textContent));
  check("all its rows are marked", lines().every(line => (line.getAttribute("aria-selected") === "true") === (line.dataset.trace === first)));
  check("what is alive is shown", by("value").value === "live" && exact() < whole && picture() !== drawn, by("value").value, exact());
  check("a chip says so", chips().join() === `trace ${first}`, chips());
  check("it stands in the address", location.hash.includes(`trace=${first}`), location.hash);
  check("classes follow", all("#rows tr").reduce((sum, row) => sum + Number(row.children[1].dataset.exact), 0) === exact());
  check("no lengths of life are shown, which are of all traces", by("lives").hidden && all("#rows .spark").length === 0);
  const total = exact();
  type("value", "live-objects");
  const objects = exact();
  type("value", "bytes");
  check("what was allocated by it is not known", exact() === 0 && by("wrong").textContent.includes("known what is alive at the end"), exact(), by("wrong").textContent);
  type("value", "live");
  all("#rows tr")[0].click();
  check("a class of it", exact() > 0 && exact() < total && chips().length === 2, exact(), chips());
  all("#rows tr")[0].click();

  lines().find(line => line.dataset.trace === first && texts(line)[6] === "?").click();
  check("no stack is said to be none", all("#trace-rows .stack").map(one => one.textContent).join() === "No stack was taken (?).");
  all("#chips button")[0].click();
  check("undone", chips().length === 0 && all("#trace-rows .stack").length === 0 && !by("lives").hidden);
  type("value", "bytes");
  check("as it was", exact() === whole && picture() === drawn, exact(), whole);
  return {wrong, all: sum, first: of_first, total, objects, words};
})()
