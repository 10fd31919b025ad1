// The page of a recording: reads the selection, draws what `cells` adds up. Nothing is fetched, nothing is stored.
"use strict";
const page = whole_data => {
  // Folded or not: all that is chosen is of it.
  let data = whole_data;
  const by = id => document.getElementById(id);
  const view = {value: data.value, side: null, from: null, to: null, during: null, cls: null, under: null, groups: data.groups.map(() => null), trace: null, dimension: 0, sort: "amount", up: false, clock: "ms", cause: null, rows: 5000};
  const make = (name, properties) => Object.assign(document.createElement(name), properties);
  const span = () => data.timeline.steps.reduce((sum, [ms]) => sum + ms, 0);

  by("value").append(...data.values.map(value => make("option", {value, textContent: value})));
  by("value").value = view.value;
  by("fold").append(...folds.modes(data).map(([value, textContent]) => make("option", {value, textContent})));
  // What the program calls of the JDK says little at first sight, and is a choice away.
  const FOLD = folds.modes(data).some(([mode]) => mode === "jdk") ? "jdk" : "all";
  by("fold").value = FOLD;
  by("folding").hidden = folds.modes(data).length < 2;
  if (data.sides) {
    const sides = [["larger", "the larger side"], ["before", "before"], ["after", "after"]];
    by("side").append(...sides.map(([value, textContent]) => make("option", {value, textContent})));
  }
  const total = side => cells.totals(data, {...view, side}).reduce((sum, amount) => sum + amount, 0);

  const graph = flameGraph({
    canvas: by("flame"),
    rectangles: least => cells.flame(data, view, by("reversed").checked, least),
    name: frame => cells.name(data, frame),
    pointed: (one, event) => tip(one, event),
    described: one => { by("detail").textContent = describe(one); },
    growth: one => data.sides ? cells.growth(one.sides) : null,
    isCode: frame => data.kinds?.[frame] !== 3,
    chosen: one => { view.under = one.frame === null ? null : {path: cells.path(one), reversed: by("reversed").checked}; draw(); remember(); },
  });
  let whole = 0;
  const describe = one => data.sides ? `${cells.name(data, one.frame)}: ${change(one.sides)}`
    : `${cells.name(data, one.frame)}: ${cells.amount(view.value, one.amount)}, ${cells.percent(one.amount / Math.max(1, whole))}`;
  // "1.00 KiB to 2.00 KiB, +1.00 KiB (+100 %)"
  const change = ([before, after]) => `${cells.amount(view.value, before)} to ${cells.amount(view.value, after)}, ${more(before, after)}`
    + (before === 0 || after === 0 ? "" : after >= 10 * before ? ` (x${(after / before).toFixed(1)})` : ` (${cells.signed(after / before - 1, cells.percent)})`);
  const more = (before, after) => cells.signed(after - before, number => cells.amount(view.value, number));

  // All that is known of the frame at the pointer.
  let tipped = null;
  const facts = one => {
    if (data.sides) return [change(one.sides)];
    const path = cells.path(one), reversed = by("reversed").checked;
    const selection = {...view, under: path.length > 0 ? {path, reversed} : null}, lines = path.length > 0 ? cells.linesAt(data, path, reversed) : [];
    const sum = value => cells.totals(data, {...selection, value}).reduce((sum, amount) => sum + amount, 0);
    const words = {bytes: "allocated", objects: "objects", live: "live", "died-young": "died young"};
    const numbers = Object.keys(words).filter(value => data.values.includes(value) && cells.knows({...selection, value}))
      .map(value => `${cells.amount(value, sum(value))} ${words[value]}`);
    const half = view.trace !== null ? null : lives.curve(data.spans, cells.livesOf(data, selection)).find(([gone]) => gone === 0.5);
    return [...lines.length > 0 ? [`line ${lines.join(", ")}`] : [], `${cells.amount(view.value, one.amount)}: ${cells.percent(one.amount / Math.max(1, whole))} of the selection`,
      numbers.join(", "), ...half ? [`half live no longer than ${cells.duration(half[1])}`] : []];
  };
  const tip = (one, event) => {
    by("tip").hidden = one === null;
    if (one === null) { tipped = null; return; }
    if (tipped !== one) {
      by("tip").replaceChildren(make("b", {textContent: cells.name(data, one.frame)}), ...facts(one).map(textContent => make("span", {textContent})));
      tipped = one;
    }
    const box = by("tip").getBoundingClientRect(), fits = (at, size, room) => at + 14 + size < room ? at + 14 : Math.max(0, at - 14 - size);
    by("tip").style.left = fits(event.clientX, box.width, window.innerWidth) + "px";
    by("tip").style.top = fits(event.clientY, box.height, window.innerHeight) + "px";
  };
  const legend = () => {
    const shown = data.sides ? [] : graph.packages.slice(0, 8);
    by("legend").replaceChildren(...shown.map(({name, colour}) => {
      const button = make("button", {type: "button", title: "Search for it"}), square = make("i");
      square.style.background = colour;
      button.append(square, name);
      button.addEventListener("click", () => { by("find").value = by("find").value === name ? "" : name; changed(); });
      return button;
    }), ...graph.packages.length > shown.length && shown.length > 0 ? [` and ${graph.packages.length - shown.length} more packages`] : []);
  };

  const flame = () => {
    tip(null);
    graph.draw({icicle: by("icicle").checked, find: by("find").value, zoomed: view.under?.path.length ?? 0});
    by("cut").textContent = graph.cut === 0 ? "" : `${graph.cut} narrow frames further in are cut: click one that ends in a bar to see them.`;
    legend();
    by("found").textContent = by("find").value === "" ? "" : searched(by("find").value.toLowerCase());
  };

  // Of all that has it in its stack, whether it is wide enough to be drawn or not.
  const searched = find => {
    const hits = new Map();
    const isHit = frame => {
      if (!hits.has(frame)) hits.set(frame, cells.name(data, frame).toLowerCase().includes(find));
      return hits.get(frame);
    };
    const all = cells.found(data, view, isHit), narrow = all - graph.found;
    const words = `${cells.amount(view.value, all)} found, ${cells.percent(all / Math.max(1, whole))}`;
    const frames = cells.foundFrames(data, view, isHit), hidden = [...frames].filter(frame => !graph.hits.has(frame)).length;
    const counted = `${words}, ${frames.size} ${frames.size === 1 ? "frame" : "frames"}`, unseen = hidden > 0 ? `, ${hidden} of the frames nowhere` : "";
    return narrow > 0 ? `${counted}; ${cells.amount(view.value, narrow)} of it too narrow to be drawn${unseen}` : counted;
  };

  // More at once would make each click slow: they are shown when somebody wants them.
  const table = () => {
    const sums = side => cells.totals(data, {...view, cls: null, side: data.sides ? side : null}), find = by("filter").value.toLowerCase();
    const after = sums("after"), before = data.sides ? sums("before") : [];
    // Of a trace no lengths of life are known.
    const spreads = view.trace === null ? cells.spreads(data, view) : {of: new Map()};
    const half = cls => cls.survival.ms.find(point => point[0] === 0.5)?.[1] ?? null;
    const rows = data.classes.map((cls, id) => ({id, name: cells.readable(cls), amount: after[id], before: before[id] ?? 0, median: half(cls)}))
      .filter(row => row.amount + row.before > 0 && (row.name + " " + data.classes[row.id].name).toLowerCase().includes(find));
    const key = {name: row => row.name, amount: row => row.amount, median: row => row.median ?? -1, before: row => row.before,
      change: row => Math.abs(row.amount - row.before)}[view.sort];
    rows.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (view.up ? 1 : -1));
    const all = rows.reduce((sum, row) => sum + row.amount, 0);
    by("rows").replaceChildren(...rows.slice(0, view.rows).map(row => {
      const line = make("tr", {tabIndex: 0});
      line.dataset.cls = row.id;
      line.setAttribute("aria-selected", String(view.cls === row.id));
      const amount = cells.amount(view.value, row.amount);
      const texts = data.sides ? [row.name, cells.amount(view.value, row.before), amount, more(row.before, row.amount), ...verdicts(data.classes[row.id])]
        : [row.name, amount, (100 * row.amount / all).toFixed(1) + " %"];
      if (data.timeline.followed) texts.push("", row.median === null ? "\u2013" : cells.duration(row.median));
      line.append(...texts.map(text => make("td", {textContent: text})));
      line.children[data.sides ? 2 : 1].dataset.exact = row.amount;
      if (data.sides) line.children[1].dataset.exact = row.before;
      else line.children[2].style.setProperty("--share", 100 * row.amount / all + "%");
      const sums = spreads.of.get(row.id);
      if (sums?.some(Boolean)) line.children[3].append(charts.spark(sums, spreads.least, spreads.most));
      return line;
    }));
    by("more").textContent = rows.length > view.rows ? `and ${rows.length - view.rows} more classes: filter to find one` : "";
    by("all-rows").hidden = rows.length <= view.rows;
    by("all-rows").textContent = `Show all ${rows.length} classes`;
    for (const button of document.querySelectorAll("th button")) {
      const sorted = button.dataset.sort === view.sort;
      button.closest("th").setAttribute("aria-sort", sorted ? (view.up ? "ascending" : "descending") : "none");
    }
  };

  // What is allocated by each group of a dimension: thread pools. A row chooses its group for all else.
  const OF_GROUPS = [["bytes", "allocated"], ["objects", "objects"], ["live", "live"], ["died-young", "died young"]];
  const groups = () => {
    by("groups").hidden = data.groups.length === 0;
    if (data.groups.length === 0) return;
    const {names} = data.groups[view.dimension];
    const known = OF_GROUPS.filter(([value]) => data.values.includes(value) && (view.trace === null || cells.knows({...view, value})));
    by("groups").hidden = known.length === 0;
    if (known.length === 0) return;
    const sums = known.map(([value]) => cells.knows({...view, value}) ? cells.groupTotals(data, {...view, value}, view.dimension) : null);
    const all = Math.max(1, sums[0].reduce((sum, bytes) => sum + bytes, 0));
    by("group-heads").replaceChildren(...["name", ...known.map(([, words]) => words), "share"].map(textContent => make("th", {scope: "col", textContent})));
    const rows = [...names, "(not known: no stack was taken)"].map((name, id) => ({name, id, bytes: sums[0][id]})).filter(({bytes}) => bytes > 0);
    by("group-rows").replaceChildren(...rows.sort((a, b) => b.bytes - a.bytes).map(({name, id, bytes}) => {
      const line = make("tr", {tabIndex: 0}), numbers = sums.map((of, at) => of === null ? "\u2013" : cells.amount(known[at][0], of[id]));
      line.append(...[name, ...numbers, (100 * bytes / all).toFixed(1) + " %"].map(textContent => make("td", {textContent})));
      sums.forEach((of, at) => { if (of !== null) line.children[at + 1].dataset.exact = of[id]; });
      // What has no name is none to choose.
      if (id < names.length) line.dataset.group = id;
      line.setAttribute("aria-selected", String(view.groups[view.dimension] === id));
      return line;
    }));
    for (const button of document.querySelectorAll("#dimension button")) button.setAttribute("aria-pressed", String(Number(button.dataset.dimension) === view.dimension));
  };
  const chooseGroup = (dimension, id) => {
    view.groups[dimension] = view.groups[dimension] === id ? null : id;
    draw();
    remember();
  };
  by("dimension").append(...data.groups.map(({heading}, at) => {
    const button = make("button", {type: "button", textContent: heading});
    button.dataset.dimension = at;
    button.addEventListener("click", () => { view.dimension = at; groups(); });
    return button;
  }));

  // Of a trace it is known what is alive, whenever it was made.
  const requests = traceTable({traces: data.traces, amount: cells.amount, chosen: trace => {
    view.trace = trace;
    if (trace !== null) {
      for (const id of ["from", "to", "since", "until"]) by(id).value = "";
      if (!by("value").value.startsWith("live")) by("value").value = "live";
    }
    changed();
  }});

  // Of a whole side: on the chosen number, and on lengths of life.
  const verdicts = cls => [cls.verdicts?.[view.value] || "\u2013", cls.verdicts?.lived || "\u2013"];

  // Of the class that is chosen, whatever else is.
  const measures = () => {
    const texts = view.cls === null ? [] : data.classes[view.cls].measures ?? [];
    const known = texts.flatMap((text, at) => text === null ? [] : [[...data.measures[at], text]]);
    by("measures").hidden = known.length === 0;
    by("measures").replaceChildren(...known.map(([name, meaning, text]) => {
      const pair = make("div", {title: meaning});
      pair.append(make("dt", {textContent: name}), make("dd", {textContent: text}));
      return pair;
    }));
  };

  const lifetimes = () => {
    const isTime = view.clock === "ms", value = cells.knows(view) && view.value !== "optimised-away" ? view.value : "bytes";
    const shown = ["died-young", "survived"].includes(value) || (!isTime && value === "byte-seconds") ? "bytes" : value;
    const selection = {...view, value: shown};
    const found = isTime ? cells.histogram(data, selection) : cells.byClock(data, selection, view.clock) ?? [];
    const young = found[0]?.atMost;
    const isBar = bar => view.from === Math.ceil(bar.from) && view.to === Math.ceil(bar.to);
    charts.bars(by("bars"), found, view.clock, shown, isTime ? bar => {
      const [from, to] = isBar(bar) ? ["", ""] : [Math.ceil(bar.from), Math.ceil(bar.to)].map(cells.timeText);
      [by("from").value, by("to").value] = [from, to];
      changed();
    } : null);
    const isPart = view.from !== null || view.to !== null || view.during !== null || view.under !== null || view.groups.some(one => one !== null);
    by("bars-note").textContent = `${shown}, ${isTime ? "of the selection" : whose() + (isPart ? ", whatever else is chosen" : "")}. `
      + "First who died by their first collection" + (young ? `, after ${cells.age(view.clock, young)} at most` : "")
      + "; then by the age up to which objects were alive for sure: each died by the collection after that.";
    const curves = view.cls === null ? data.survival : data.classes[view.cls].survival;
    // Of a part the page has no errors: what is between the earliest and the latest ages at which its objects can have died.
    const isOwn = isPart && isTime;
    charts.curve(by("curve"), isOwn ? lives.curve(data.spans, cells.livesOf(data, view)) : curves[view.clock] ?? [], view.clock);
    by("whose").textContent = isOwn ? "of the selection, by objects; pale: between the earliest and the latest that they can have died."
      : `${whose()}, by objects${isPart ? ", whatever else is chosen" : ""}; with its 95 % band.`;
  };
  const whose = () => view.cls === null ? "of all classes" : `of ${cells.readable(data.classes[view.cls])}`;

  const when = () => {
    const {begin_ms, steps, left_by, pauses, paused, fewer} = data.timeline, all = span();
    by("when").hidden = all === 0;
    if (all === 0) return;
    const areas = [{label: "allocated per second", of: ([ms, allocated]) => cells.perSecond(allocated, ms), per: "/s at most"}];
    const left = steps.map(([, , , live]) => live).filter(live => live !== null), size = bytes => cells.amount("bytes", Math.round(bytes));
    if (left.length > 0) areas.push({label: "live after GC", of: ([, , , live]) => live ?? 0, words: `last ${size(left.at(-1))}${left_by ? ` (${left_by})` : ""}, at most ${size(Math.max(...left))}`});
    // Direct buffers, where there is anything to see.
    const direct = steps.map(([, , , , bytes]) => bytes).filter(bytes => bytes !== null);
    if (Math.max(0, ...direct) >= 2 ** 20) areas.push({label: "off-heap: direct buffers", of: ([, , , , bytes]) => bytes ?? 0, words: `last ${size(direct.at(-1))}, at most ${size(Math.max(...direct))}`});
    const drawn = areas.map(({label, of, per, words}) => {
      const values = cells.overTime(steps, 240, of), most = Math.max(...values);
      return {label, most, words: words ?? size(most) + per, values};
    });
    const at = ms => Math.min(1, Math.max(0, (ms - begin_ms) / all));
    const causes = data.timeline.causes, colours = new Map(causes.filter(([, kind]) => kind !== "full").map(([cause, kind], i) => [`${cause} ${kind}`, COLOURS[i]]));
    const bars = pauses.map(({at_ms, us, kind, cause, before, after}) => ({at: at(at_ms), us, kind, cause, colour: colours.get(`${cause} ${kind}`),
      words: [`${cells.duration(at_ms)}: ${kind}, ${cells.pause(us)}`, cause, heap(before, after)].filter(Boolean).join(", ")}));
    charts.lanes(by("lanes"), drawn, bars, paused[2], ticks(begin_ms, all, at));
    by("causes").replaceChildren(...causes.map(([cause, kind, count, us, longest]) => {
      const line = make("tr", {tabIndex: 0}), colour = colours.get(`${cause} ${kind}`), square = make("i", {className: "square"});
      square.style.background = kind === "full" ? "var(--alert)" : colour ?? "var(--soft)";
      line.append(...[cause || "(the JVM does not say)", kind, count, cells.pause(us), cells.pause(longest)].map(textContent => make("td", {textContent})));
      line.firstChild.prepend(square);
      Object.assign(line.dataset, {cause: `${cause} ${kind}`, count, us});
      return line;
    }));
    mark();
    const short = paused[0] - pauses.length;
    by("paused").textContent = paused[0] === 0 ? "No pause is known." : `${paused[0]} pauses, ${cells.pause(paused[1])} in all, the longest ${cells.pause(paused[2])}.`
      + (short > 0 ? ` The ${short} shortest are not drawn.` : "") + (fewer ? ` ${fewer}.` : "");
    Object.assign(by("paused").dataset, {count: paused[0], us: paused[1], allocated: steps.reduce((sum, [, bytes]) => sum + bytes, 0)});
    by("pauses").replaceChildren(...pauses.toSorted((a, b) => b.us - a.us).slice(0, 20).map(one => {
      const texts = [cells.duration(one.at_ms), cells.pause(one.us), one.kind, one.cause, heap(one.before, one.after),
        one.promoted === null ? "" : cells.amount("bytes", one.promoted)];
      const line = make("tr");
      line.append(...texts.map(text => make("td", {textContent: text})));
      return line;
    }));
  };
  const COLOURS = ["#3b8ea5", "#8a63b8", "#5c9a3f", "#b98a1f", "#4c6fb5", "#a8577e"];
  // The pauses of the cause that is chosen; null: all.
  const mark = () => {
    by("lanes").classList.toggle("of-cause", view.cause !== null);
    for (const bar of by("lanes").querySelectorAll(".pause")) bar.classList.toggle("chosen", bar.dataset.cause === view.cause);
    for (const line of by("causes").children) line.setAttribute("aria-selected", String(line.dataset.cause === view.cause));
  };
  const heap = (before, after) => after === null ? "" : before === null ? cells.amount("bytes", after) + " after"
    : `${cells.amount("bytes", before)} to ${cells.amount("bytes", after)}`;
  // Some five round moments.
  const ticks = (begin, all, at) => {
    const width = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400].map(s => s * 1e3).find(ms => all / ms <= 8) ?? all;
    const found = [];
    for (let ms = Math.ceil((begin + 1) / width) * width; ms < begin + all * 0.95; ms += width) found.push({at: at(ms), text: cells.duration(ms)});
    return found;
  };

  // What is chosen, each with a button that undoes it.
  const chips = () => {
    const found = [], chip = (text, undo) => {
      const button = make("button", {type: "button", className: "chip", textContent: text, title: "Undo this choice"});
      button.addEventListener("click", undo);
      found.push(button);
    };
    const clear = (...ids) => () => { for (const id of ids) by(id).value = ""; changed(); };
    if (view.cls !== null) chip(cells.readable(data.classes[view.cls]), () => choose(view.cls));
    if (view.under !== null) chip((view.under.reversed ? "below " : "under ") + cells.name(data, view.under.path.at(-1)), () => { view.under = null; draw(); remember(); });
    view.groups.forEach((id, at) => { if (id !== null) chip(`${data.groups[at].key} ${data.groups[at].names[id]}`, () => chooseGroup(at, id)); });
    if (view.trace !== null) chip(`trace ${view.trace}`, () => { view.trace = null; draw(); remember(); });
    if (view.from !== null || view.to !== null) {
      chip(`lived ${cells.duration(view.from ?? 0)} to ${view.to === null ? "any age" : cells.duration(view.to)}`, clear("from", "to"));
    }
    if (view.during !== null) {
      const [from, to] = [data.slices[view.during[0]][0], data.slices[view.during[1]][1]];
      chip(`during ${cells.duration(from)} to ${cells.duration(to)}`, clear("since", "until"));
    }
    by("chips").replaceChildren(...found);
    by("none").hidden = found.length > 0;
    const apart = view.during === null ? null : data.sliced_stacks ?? null;
    by("apart").textContent = apart === null ? "" : `Of a time the ${apart} stacks with most bytes are told apart, the others are of their class alone.`;
  };
  const shade = () => {
    const {begin_ms} = data.timeline, all = Math.max(1, span());
    const [from, to] = view.during === null ? [null, null] : [data.slices[view.during[0]][0], data.slices[view.during[1]][1]];
    charts.shade(by("lanes"), from === null ? null : (from - begin_ms) / all, to === null ? null : (to - begin_ms) / all);
    by("during").textContent = "";
    if (from === null) { delete by("during").dataset.from; delete by("during").dataset.to; } else Object.assign(by("during").dataset, {from, to});
  };

  // The selection stands in the address, so that it can be sent to somebody.
  const FIELDS = ["value", "side", "fold", "from", "to", "since", "until", "find", "filter", "trace-find"], CHOICES = ["value", "side", "fold"], TICKS = ["reversed", "icicle"];
  // Each choice is a step that the browser's Back undoes; what is typed letter by letter is one.
  const remember = (typed = false) => {
    const words = new URLSearchParams();
    for (const id of FIELDS) if (by(id).value !== "") words.set(id, by(id).value);
    for (const id of TICKS) if (by(id).checked) words.set(id, "1");
    if (view.clock !== "ms") words.set("clock", view.clock);
    if (view.cls !== null) words.set("class", data.classes[view.cls].name);
    view.groups.forEach((id, at) => { if (id !== null) words.set(data.groups[at].key, data.groups[at].names[id]); });
    if (view.trace !== null) words.set("trace", view.trace);
    if (view.under !== null) words.set(view.under.reversed ? "below" : "under", view.under.path.join(" "));
    if (words.get("fold") === FOLD) words.delete("fold");
    const address = "#" + words;
    if (typed) history.replaceState(null, "", address);
    else if (address !== (location.hash || "#")) history.pushState(null, "", address);
  };
  const recall = () => {
    const words = new URLSearchParams(location.hash.slice(1));
    for (const id of FIELDS) by(id).value = words.get(id) ?? {value: whole_data.value, fold: FOLD}[id] ?? "";
    if (by("fold").value === "") by("fold").value = FOLD;
    data = folds.of(whole_data, by("fold").value);
    if (!data.values.includes(by("value").value)) by("value").value = data.value;
    if (by("side").value === "") by("side").selectedIndex = 0;
    for (const id of TICKS) by(id).checked = words.has(id);
    const cls = data.classes.findIndex(cls => cls.name === words.get("class"));
    view.cls = cls < 0 ? null : cls;
    view.groups = data.groups.map(({key, names}) => names.includes(words.get(key)) ? names.indexOf(words.get(key)) : null);
    view.trace = requests.has(words.get("trace")) ? words.get("trace") : null;
    const path = words.get("under") ?? words.get("below"), known = frame => frame < data.frames.length && -1 - frame < data.classes.length;
    const frames = (path ?? "").split(" ").filter(Boolean).map(Number);
    view.under = frames.length > 0 && frames.every(known) ? {path: frames, reversed: words.has("below")} : null;
    view.clock = ["gcs", "bytes"].includes(words.get("clock")) ? words.get("clock") : "ms";
  };

  const draw = () => {
    whole = total(view.side);
    const sides = data.sides ? ["before", "after"].map(total) : null;
    by("total").textContent = sides ? change(sides) : cells.amount(view.value, whole);
    by("total").dataset.exact = sides ? sides[1] : whole;
    if (sides) by("total").dataset.before = sides[0];
    for (const button of document.querySelectorAll("#clock button")) button.setAttribute("aria-pressed", String(button.dataset.clock === view.clock));
    flame();
    by("lives").hidden = !data.timeline.followed || view.trace !== null;
    if (!by("lives").hidden) lifetimes();
    shade();
    chips();
    // Last: charts ask how large they are, and rows that are new would have to be laid out for that.
    table();
    groups();
    requests.draw(view.trace);
    measures();
  };

  const choose = cls => {
    view.cls = view.cls === cls ? null : cls;
    view.under = null;
    draw();
    remember();
  };

  const read = () => {
    view.value = by("value").value;
    view.side = data.sides ? by("side").value : null;
    const [from, to] = [cells.time(by("from").value), cells.time(by("to").value)];
    const [since, until] = [cells.time(by("since").value), cells.time(by("until").value)];
    const ordered = (from, to) => !Number.isNaN(from) && !Number.isNaN(to) && (to === null || (from ?? 0) < to);
    const valid = ordered(from, to) && ordered(since, until);
    if (valid) {
      [view.from, view.to] = [from, to];
      view.during = data.slices.length === 0 ? null : cells.slices(data, since, until);
    }
    const isLate = view.during === undefined;
    if (isLate) view.during = null;
    by("wrong").textContent = !valid ? "A time is a number and ms, s, m or h: 30s; the first is before the second."
      : isLate ? "The run had ended before that time." : cells.knows(view) ? "" : view.trace !== null ? "Of a trace it is known what is alive at the end: choose live or live-objects, and no time."
        : "This number is known of the whole run alone.";
    const shown = folds.of(whole_data, by("fold").value);
    // Paths are of what is drawn.
    if (shown !== data) [data, view.under] = [shown, null];
    by("meaning").textContent = data.meanings[data.values.indexOf(view.value)] ? `${view.value}: ${data.meanings[data.values.indexOf(view.value)]}.` : "";
    if (view.under && view.under.reversed !== by("reversed").checked) view.under = null;
    draw();
  };
  const changed = typed => { read(); remember(typed === true); };
  const isTyped = event => event.target.tagName === "INPUT" && event.target.type !== "checkbox";
  const nothing = () => { [view.cls, view.under, view.trace, view.groups] = [null, null, null, data.groups.map(() => null)]; };
  const reset = () => {
    for (const id of FIELDS) by(id).value = CHOICES.includes(id) ? by(id).value : "";
    nothing();
    changed();
  };

  // The first letter is a step of its own, those after it are not.
  let typing = null;
  const typed = event => { const before = typing; typing = isTyped(event) ? event.target : null; return typing !== null && before === typing; };
  by("choice").addEventListener("input", event => changed(typed(event)));
  document.addEventListener("focusin", event => { if (event.target !== typing) typing = null; });
  window.addEventListener("popstate", () => { recall(); read(); });
  by("choice").addEventListener("submit", event => event.preventDefault());
  by("filter").addEventListener("input", event => { const more = typed(event); table(); remember(more); });
  by("trace-find").addEventListener("input", event => { const more = typed(event); requests.draw(view.trace); remember(more); });
  by("all-rows").addEventListener("click", () => { view.rows = Infinity; table(); });
  const pressed = (id, act) => {
    by(id)?.addEventListener("click", event => act(event.target.closest("tr")));
    by(id)?.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(event.target.closest("tr")); } });
  };
  pressed("causes", line => { view.cause = view.cause === line.dataset.cause ? null : line.dataset.cause; mark(); });
  // What is old, or grows: alive, of that class, and of that age.
  for (const id of ["old", "growing"]) pressed(id, line => {
    nothing();
    view.cls = data.classes.findIndex(cls => cls.name === line.dataset.class);
    by("value").value = "live";
    by("from").value = line.dataset.from > 0 ? line.dataset.from + "ms" : "";
    changed();
    by("choice").scrollIntoView();
  });
  by("reset").addEventListener("click", reset);
  for (const button of document.querySelectorAll("#clock button")) button.addEventListener("click", () => {
    view.clock = button.dataset.clock;
    draw();
    remember();
  });
  // A time is chosen on the lanes, too: by dragging.
  let begun = null;
  const moment = event => {
    const box = by("lanes").getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    return Math.round(data.timeline.begin_ms + share * span());
  };
  by("lanes").addEventListener("pointerdown", event => { begun = data.slices.length > 0 ? moment(event) : null; });
  by("lanes").addEventListener("pointerup", event => {
    if (begun === null) return;
    const [since, until] = [begun, moment(event)].sort((a, b) => a - b);
    [by("since").value, by("until").value] = until > since ? [since + "ms", until + "ms"] : ["", ""];
    begun = null;
    changed();
  });
  const groupOf = event => event.target.closest("tr").dataset.group;
  by("group-rows").addEventListener("click", event => { if (groupOf(event) !== undefined) chooseGroup(view.dimension, Number(groupOf(event))); });
  by("group-rows").addEventListener("keydown", event => {
    if ((event.key === "Enter" || event.key === " ") && groupOf(event) !== undefined) { event.preventDefault(); chooseGroup(view.dimension, Number(groupOf(event))); }
  });
  by("rows").addEventListener("click", event => choose(Number(event.target.closest("tr").dataset.cls)));
  by("rows").addEventListener("keydown", event => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(Number(event.target.closest("tr").dataset.cls)); }
  });
  for (const button of document.querySelectorAll("th button")) button.addEventListener("click", () => {
    view.up = view.sort === button.dataset.sort ? !view.up : button.dataset.sort === "name";
    view.sort = button.dataset.sort;
    table();
  });
  document.addEventListener("keydown", event => {
    if (event.key === "Escape") { nothing(); draw(); remember(); }
    if (event.key === "/" && !["INPUT", "SELECT"].includes(document.activeElement?.tagName)) { event.preventDefault(); by("find").focus(); }
  });
  const redraw = () => { when(); draw(); };
  let waiting = 0;
  window.addEventListener("resize", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(redraw); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // Paper is light, and a sheet is so high and wide: what is drawn is laid out for it.
  const printed = onPaper => () => {
    graph.onPaper = onPaper;
    document.body.classList.toggle("paper", onPaper);
    redraw();
  };
  window.addEventListener("beforeprint", printed(true));
  window.addEventListener("afterprint", printed(false));
  for (const part of document.querySelectorAll(".of-time")) part.hidden = data.slices.length === 0;
  for (const part of document.querySelectorAll(".of-life")) part.hidden = !data.timeline.followed;
  by("sides").hidden = !data.sides;
  if (data.sides) view.sort = "change";
  recall();
  read();
  when();
  shade();
  document.body.dataset.ready = "true";
  document.dispatchEvent(new Event("ready"));
};
cells.unpacked(document.getElementById("data").textContent).then(page).catch(error => {
  document.getElementById("wrong").textContent = `This page needs a browser of 2023 or newer: ${error}`;
  throw error;
});
