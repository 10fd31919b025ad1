// Uses the page of two sides as a reader does, and says what does not follow. Run in a copy of the page (`diff_page.rs`), of a
// program that made more of one class afterwards.
(() => {
  const wrong = [];
  let checks = 0;
  const check = (what, is, ...got) => { checks++; if (!is) wrong.push(`${what}: ${JSON.stringify(got)}`); };
  const by = id => document.getElementById(id), all = query => [...document.querySelectorAll(query)];
  const total = () => [by("total").dataset.before, by("total").dataset.exact].map(Number);
  const rows = () => all("#rows tr").map(row => ({row, words: [...row.children].map(cell => cell.textContent),
    sides: [1, 2].map(at => Number(row.children[at].dataset.exact))}));
  const sums = () => rows().reduce(([before, after], {sides}) => [before + sides[0], after + sides[1]], [0, 0]);
  const same = (a, b) => String(a) === String(b);
  const set = (id, value) => {
    by(id)[by(id).type === "checkbox" ? "checked" : "value"] = value;
    by(id).dispatchEvent(new Event("input", {bubbles: true}));
  };
  const key = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  const picture = () => by("flame").toDataURL();
  // Points of the picture that are red and blue.
  const coloured = () => {
    const {width, height} = by("flame");
    const copy = Object.assign(document.createElement("canvas"), {width, height}).getContext("2d", {willReadFrequently: true});
    copy.drawImage(by("flame"), 0, 0);
    const points = copy.getImageData(0, 0, width, height).data;
    const found = {red: 0, blue: 0};
    for (let at = 0; at < points.length; at += 4) {
      const more = points[at] - points[at + 2];
      if (more > 20) found.red++;
      if (more < -20) found.blue++;
    }
    return found;
  };
  const violations = [];
  document.addEventListener("securitypolicyviolation", event => violations.push(event.blockedURI));

  const whole = total(), first = picture();
  check("both sides are added up", whole[1] > whole[0] && same(sums(), whole), whole, sums());
  check("what grew is red, nothing is blue", coloured().red > 100 && coloured().blue === 0, coloured());
  const hostile = rows().filter(({words}) => words[0].includes("<\/script>"));
  check("a class like a script is text", hostile.length === 1 && document.title !== "taken_over");
  check("what changed most is first, with its verdict", rows()[0].words[0] === hostile[0].words[0] && rows()[0].words[4].startsWith("more, +"), rows()[0].words);
  check("what stayed is a tilde", rows().filter(({words}) => words[4] === "~").length === 2, rows().map(({words}) => words[4]));
  check("lifetimes have a verdict", rows().every(({words}) => words[5] !== "\u2013"), rows().map(({words}) => words[5]));
  check("the total says by how much", by("total").textContent.includes(" to ") && by("total").textContent.includes("%"), by("total").textContent);
  check("nothing of a single recording is shown", all(".of-life, .of-time, #when, #lives").every(one => one.hidden));

  for (const side of ["before", "after"]) {
    set("side", side);
    // Nothing became less.
    check(`frames as wide as ${side}`, (picture() === first) === (side === "after") && same(total(), whole) && location.hash.includes("side=" + side), location.hash, total());
  }
  set("side", "larger");
  set("value", "live");
  check("what is live has numbers of its own", !same(total(), whole) && same(sums(), total()) && rows()[0].words[4].startsWith("more, "), total(), sums(), rows()[0].words);
  set("value", "bytes");
  for (const id of ["reversed", "icicle"]) {
    set(id, true);
    check(`${id} turns the picture, not the total`, picture() !== first && coloured().red > 100 && same(total(), whole), coloured());
    set(id, false);
  }

  by("flame").focus();
  key(by("flame"), "Home");
  key(by("flame"), "ArrowUp");
  check("a frame has both sides", by("detail").textContent.startsWith("a.Main.main: ") && by("detail").textContent.includes(" to "), by("detail").textContent);
  key(by("flame"), "ArrowUp");
  key(by("flame"), "Enter");
  check("Enter zooms", total()[1] < whole[1] && same(sums(), total()), total(), sums());
  key(document, "Escape");
  check("Escape shows all", same(total(), whole), total());
  const most = rows()[0];
  key(most.row, "Enter");
  check("a class is chosen by keys", same(total(), most.sides) && rows().length === 3, total(), most.sides);
  by("reset").click();
  check("a button shows all", same(total(), whole) && by("side").value === "larger", total());
  document.querySelector("[data-sort=before]").click();
  const before = rows().map(({sides}) => sides[0]);
  check("rows are sorted", same(before, [...before].sort((a, b) => b - a)), before);
  check("nothing is fetched", performance.getEntriesByType("resource").length === 0 && violations.length === 0, violations);
  check("nothing is wider than the window", document.documentElement.scrollWidth <= window.innerWidth, document.documentElement.scrollWidth, window.innerWidth);
  check("all controls have names", all("input, select, button").every(one => one.textContent.trim() || one.ariaLabel || one.labels?.length));
  return {checks, wrong, coloured: coloured(), verdict: hostile[0].words[4], width: window.innerWidth, paper: getComputedStyle(document.body).backgroundColor};
})();
