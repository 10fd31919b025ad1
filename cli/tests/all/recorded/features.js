// Each function uses one feature of the page, and says what does not follow. Run in a copy of the page (`page_features.rs`).
(() => {
  const wrong = [];
  let checks = 0;
  const check = (what, is, ...got) => { checks++; if (!is) wrong.push(`${what}: ${JSON.stringify(got)}`); };
  const by = id => document.getElementById(id), all = query => [...document.querySelectorAll(query)];
  const exact = () => Number(by("total").dataset.exact), picture = () => by("flame").toDataURL();
  const set = (id, value) => { by(id).value = value; by(id).dispatchEvent(new Event("input", {bubbles: true})); };
  const key = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  const ROW = 19, high = () => Math.round(by("flame").getBoundingClientRect().height / ROW);
  // The pointer in a row of the graph, counted from its root, at a share of its width.
  const pointer = (row, share, type) => {
    const box = by("flame").getBoundingClientRect();
    by("flame").dispatchEvent(new MouseEvent(type, {clientX: box.left + box.width * share, clientY: box.bottom - ROW * (row + 0.5), bubbles: true}));
  };
  const tip = () => by("tip").textContent, detail = () => by("detail").textContent.split(": ")[0];
  // The frames from the root inwards, where the pointer stands.
  const tower = share => Array.from({length: high()}, (_, row) => { pointer(row, share, "mousemove"); return by("tip").hidden ? "" : by("tip").querySelector("b").textContent; }).filter(Boolean);
  const done = () => ({wrong, checks});

  return {
    tooltip: () => {
      set("fold", "all");
      const main = 2;
      pointer(main, 0.01, "mousemove");
      const box = by("tip").getBoundingClientRect(), graph = by("flame").getBoundingClientRect();
      check("it stands at the pointer", !by("tip").hidden && Math.abs(box.left - graph.left - graph.width * 0.01) < 40, box.left, graph.left);
      check("with frame and line", tip().startsWith("a.Main.mainline 7"), tip());
      check("with its share", tip().includes("of the selection") && tip().includes("%"), tip());
      for (const word of ["allocated", "objects", "live", "died young", "half live no longer than"]) check(`with what is ${word}`, tip().includes(word), tip());
      const numbers = tip();
      const share = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].find(share => tower(share).includes("a.Main.serve")), rows = tower(share);
      const line = name => { pointer(rows.indexOf(name), share, "mousemove"); return tip(); };
      check("a line of a place that is met at one", line("java.util.HashMap.put").includes("line 610"), rows, tip());
      check("lines of both places", line("a.Main.serve").includes("line 7, 9"), rows, tip());
      check("other numbers for another frame", tip() !== numbers);
      pointer(main, 0.01, "click");
      pointer(main, 0.01, "mousemove");
      check("its share is of what is chosen", tip().includes("100 % of the selection"), tip());
      by("flame").dispatchEvent(new MouseEvent("mouseleave"));
      check("it goes with the pointer", by("tip").hidden);
      key(document, "Escape");
      set("value", "objects");
      pointer(main, 0.01, "mousemove");
      const objects = Number(/^([\d.]+) k: /.exec(by("tip").querySelectorAll("span")[1].textContent)?.[1]);
      check("the number that is chosen comes first", Math.abs(objects * 1000 / exact() - 1) < 0.4, tip(), exact());
      return done();
    },
    fold: () => {
      const whole = exact(), folded = picture(), rows = tower(0.01);
      const of = prefix => rows.filter(name => name.startsWith(prefix));
      check("the JDK is folded at first", by("fold").value === "jdk" && of("java.util.HashMap").join() === "java.util.HashMap.put", rows);
      check("what the JDK's frames call is there", of("a.Main").length === 2 && of("org.springframework").length === 2, rows);
      set("fold", "all");
      const opened = tower(0.01);
      check("opened", opened.filter(name => name.startsWith("java.util.HashMap")).length === 3 && picture() !== folded, opened);
      check("totals stay", exact() === whole, exact(), whole);
      check("and it stands in the address", location.hash.includes("fold=all"), location.hash);
      set("fold", "frameworks");
      const both = tower(0.01);
      check("frameworks are one frame", both.filter(name => name.startsWith("org.springframework")).join() === "org.springframework.web.Servlet.service", both);
      check("own frames are never folded", both.filter(name => name.startsWith("a.Main")).length === 2, both);
      pointer(both.indexOf("a.Main.main"), 0.01, "click");
      check("a frame is chosen among the folded", exact() < whole && exact() > 0, exact());
      set("fold", "jdk");
      check("a choice of frames ends with the tree that it was in", exact() === whole, exact());
      return done();
    },
    search: () => {
      set("find", "byte[]");
      const narrow = by("found").textContent;
      check("what is too narrow is found", /^[\d.]+ .i?B found, /.test(narrow) && !narrow.startsWith("0 B"), narrow);
      check("and counted", narrow.includes("1 frame;") && narrow.includes("too narrow to be drawn, 1 of the frames nowhere"), narrow);
      set("find", "a.main");
      check("frames are counted", by("found").textContent.includes("3 frames"), by("found").textContent);
      set("find", "main.main");
      check("what is drawn is not too narrow", by("found").textContent.endsWith("1 frame"), by("found").textContent);
      set("find", "nowhere");
      check("nothing", by("found").textContent.includes("0 B found, 0.00 %, 0 frames"), by("found").textContent);
      return done();
    },
    legend: () => {
      const entries = () => all("#legend button"), names = entries().map(one => one.textContent);
      check("packages have a colour each", names.includes("a") || names.includes("a.Main") || names.length >= 3, names);
      const colours = entries().map(one => one.querySelector("i").style.background);
      check("colours differ", new Set(colours).size === colours.length && colours.every(Boolean), colours);
      const context = by("flame").getContext("2d"), {width, height} = by("flame"), pixels = context.getImageData(0, 0, width, height).data;
      const drawn = new Set();
      for (let at = 0; at < pixels.length; at += 4) drawn.add(`rgb(${pixels[at]}, ${pixels[at + 1]}, ${pixels[at + 2]})`);
      const near = colour => { const [r, g, b] = colour.match(/\d+/g).map(Number); return [...drawn].some(one => { const [x, y, z] = one.match(/\d+/g).map(Number); return Math.abs(r - x) + Math.abs(g - y) + Math.abs(b - z) < 6; }); };
      const shown = entries().map(one => getComputedStyle(one.querySelector("i")).backgroundColor);
      check("each is in the picture", shown.every(near), shown);
      const first = picture();
      entries()[0].click();
      check("a click searches for the package", by("find").value === names[0] && picture() !== first, by("find").value);
      return done();
    },
    words: () => {
      const words = all(".word"), texts = words.map(one => one.textContent);
      for (const word of ["Allocated", "Live at the end", "Collections", "Lived", "During", "class first", "dead", "still alive", "full collection", "promoted", "How many outlive an age"]) {
        const one = words[texts.indexOf(word)];
        check(`${word} is explained`, one !== undefined && one.dataset.word.length > 20, texts);
      }
      const one = words.find(word => word.tabIndex === 0);
      one.focus();
      const shown = getComputedStyle(one, "::after");
      check("by keys, too", shown.content.includes(one.dataset.word.slice(0, 20)) && shown.position === "absolute", shown.content);
      const meanings = [...by("value").options].map(({value}) => { set("value", value); return by("meaning").textContent; });
      check("each number says what it is", new Set(meanings).size === meanings.length && meanings.every(text => text.length > 20), meanings);
      return done();
    },
    back: async () => {
      const back = () => new Promise(resolve => { window.addEventListener("popstate", () => resolve(), {once: true}); history.back(); });
      const whole = exact(), most = all("#rows tr")[0];
      most.click();
      const cls = exact();
      pointer(1, 0.01, "click");
      check("two choices", cls < whole && all("#chips button").length === 2, cls, whole);
      set("value", "objects");
      await back();
      check("Back undoes the last", by("value").value === "bytes" && all("#chips button").length === 2, by("value").value);
      await back();
      check("and the one before", exact() === cls && all("#chips button").length === 1, exact(), cls);
      await back();
      check("and all", exact() === whole && all("#chips button").length === 0, exact(), whole);
      for (const text of ["s", "se", "ser"]) set("find", text);
      await back();
      check("a word is one step", by("find").value === "s" || by("find").value === "", by("find").value);
      return done();
    },
    classes: () => {
      const rows = () => all("#rows tr").length, shown = rows();
      check("many at once", shown === 5000, shown);
      check("and how many more", by("more").textContent.startsWith("and 103 more"), by("more").textContent);
      by("filter").value = "many.Class5101";
      by("filter").dispatchEvent(new Event("input", {bubbles: true}));
      check("each is found", rows() === 1, rows());
      by("filter").value = "";
      by("filter").dispatchEvent(new Event("input", {bubbles: true}));
      by("all-rows").click();
      check("all are shown", rows() === 5103 && by("all-rows").hidden && by("more").textContent === "", rows());
      return done();
    },
    causes: () => {
      const lines = all("#causes tr"), text = lines.map(line => [...line.children].map(cell => cell.textContent));
      check("causes with kind and number", text.some(([cause, kind, count]) => cause === "System.gc()" && kind === "full" && count === "6")
        && text.some(([cause, kind, count]) => cause === "Allocation Failure" && kind === "young" && count === "54"), text);
      const sum = name => lines.reduce((sum, line) => sum + Number(line.dataset[name]), 0);
      check("they add up to all", sum("count") === Number(by("paused").dataset.count) && sum("us") === Number(by("paused").dataset.us), sum("count"), sum("us"));
      const of = () => all("#lanes .pause.chosen").length;
      lines[text.findIndex(([cause]) => cause === "System.gc()")].click();
      check("a cause is marked on the timeline", of() === 6 && by("lanes").classList.contains("of-cause"), of());
      const fills = new Set(all("#lanes .pause").map(bar => getComputedStyle(bar).fill));
      check("causes have colours", fills.size === 2, [...fills]);
      all("#causes tr")[text.findIndex(([cause]) => cause === "System.gc()")].click();
      check("and all again", of() === 0 && !by("lanes").classList.contains("of-cause"), of());
      return done();
    },
    survival: () => {
      const curve = () => by("curve").querySelector("path.curve")?.getAttribute("d"), whole = curve();
      set("fold", "all");
      check("of all at first", by("whose").textContent.includes("of all classes") && by("whose").textContent.includes("95 %"), by("whose").textContent);
      pointer(2, 0.01, "click");
      check("of what is chosen", by("whose").textContent.startsWith("of the selection") && curve() !== undefined && curve() !== whole, by("whose").textContent);
      set("from", "3s");
      const later = by("curve").textContent;
      check("nobody of a band died before it", !later.includes("half: 0 ms") && by("curve").querySelector("circle.half") !== null, later);
      // Of ten that die at 1 s, ten at 2 s, ten that are alive at 1.5 s, and ten at 3 s.
      const spans = [[1000, 1000], [2000, 2000], [1500, null], [3000, 3000]], points = lives.curve(spans, spans.map((_, at) => [at, 10]));
      const at = share => points.find(([gone]) => gone === share)?.[1];
      check("a quarter is gone at 1 s, half at 2 s, all at 3 s", at(0.25) === 1000 && at(0.5) === 2000 && at(0.75) === 3000 && at(0.99) === 3000, points);
      const between = lives.curve([[1000, 3000]], [[0, 10]])[0];
      check("what is not known is a band", String(between) === "0.01,2000,1000,3000", between);
      key(document, "Escape");
      return done();
    },
    old: () => {
      const rows = all("#old tr");
      check("what is old stands first", rows.length > 0 && by("old").getBoundingClientRect().top < by("flame").getBoundingClientRect().top, rows.length);
      const [name, size, objects, age, maker] = [...rows[0].children].map(cell => cell.textContent);
      check("class, bytes, objects, age, and who made it", name && /B$/.test(size) && objects && age && maker.includes("a.Main"), name, size, objects, age, maker);
      check("most bytes first", rows.every((row, at) => at === 0 || Number(row.children[1].dataset.exact) <= Number(rows[at - 1].children[1].dataset.exact)));
      check("and where holders are found", document.body.textContent.includes("mayfly leaks PID"));
      rows[0].click();
      check("a click shows what of it is alive", by("value").value === "live" && exact() > 0 && all("#chips button").length >= 1, exact());
      return done();
    },
    growing: () => {
      const rows = all("#growing tr"), section = rows[0]?.closest("section");
      check("what grows stands first", rows.length > 0 && section.getBoundingClientRect().top < by("old").getBoundingClientRect().top, rows.length);
      check("and which command finds its holders", section?.textContent.includes("mayfly leaks PID"), section?.textContent);
      const cls = rows[0].dataset.class;
      rows[0].click();
      check("a click shows what of it is alive", by("value").value === "live" && exact() > 0 && all("#chips button").length === 1, exact());
      check("of its class alone", all("#rows tr[aria-selected=true]").length === 1 && all("#rows tr[aria-selected=true]")[0].children[0].textContent === cls, cls);
      return done();
    },
  };
})()
