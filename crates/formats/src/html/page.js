// The page: reads the selection, draws what `cells` adds up. Nothing is fetched, nothing is stored.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const by = id => document.getElementById(id);
  const view = {value: data.value, from: null, to: null, during: null, cls: null, sort: "amount", up: false, find: "", reversed: false,
    icicle: false, zoom: []};
  let drawn = [];

  const option = (value, text) => Object.assign(document.createElement("option"), {value, textContent: text});
  by("value").append(...data.values.map(value => option(value, value)));
  by("value").value = view.value;

  const color = name => {
    const dot = name.lastIndexOf(".", name.lastIndexOf(".") - 1);
    let hash = 0;
    for (const c of dot > 0 ? name.slice(0, dot) : name) hash = (hash * 31 + c.codePointAt(0)) >>> 0;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    return `hsl(${hash % 360} 45% ${dark ? 32 : 76}%)`;
  };

  const zoomed = root => {
    let node = root;
    for (const frame of view.zoom) {
      const child = node.children.get(frame);
      if (!child) break;
      node = child;
    }
    return node;
  };

  const ROW = 18;
  const flame = () => {
    const canvas = by("flame"), context = canvas.getContext("2d");
    const width = canvas.clientWidth || 800;
    const root = cells.tree(data, view, view.reversed);
    const top = zoomed(root);
    drawn = cells.rectangles(top, 0.5 / width);
    const rows = Math.min(200, 1 + drawn.reduce((most, {depth}) => Math.max(most, depth), 0));
    const ratio = Math.min(window.devicePixelRatio || 1, 32000 / (rows * ROW), 32000 / width);
    canvas.style.height = rows * ROW + "px";
    canvas.width = width * ratio;
    canvas.height = rows * ROW * ratio;
    context.scale(ratio, ratio);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const ink = getComputedStyle(document.body).color;
    let found = 0;
    for (const one of drawn) {
      const name = cells.name(data, one.node.frame);
      const hit = view.find !== "" && name.toLowerCase().includes(view.find.toLowerCase());
      one.px = one.x * width;
      one.pw = one.width * width;
      one.py = (view.icicle ? one.depth : rows - 1 - one.depth) * ROW;
      if (one.depth >= rows) continue;
      context.fillStyle = hit ? "#e0489a" : color(name);
      context.fillRect(one.px, one.py, Math.max(0.5, one.pw - 0.5), ROW - 1);
      let above = one.node.parent, counted = false;
      for (; above && hit; above = above.parent) {
        const other = cells.name(data, above.frame).toLowerCase();
        counted ||= above.frame >= 0 && other.includes(view.find.toLowerCase());
      }
      if (hit && !counted) found += one.node.amount;
      if (one.pw > 30) {
        context.save();
        context.beginPath();
        context.rect(one.px, one.py, one.pw - 2, ROW);
        context.clip();
        context.fillStyle = ink;
        context.fillText(name, one.px + 3, one.py + ROW / 2);
        context.restore();
      }
    }
    const path = view.zoom.map(frame => cells.name(data, frame)).join(" > ");
    by("total").textContent = cells.amount(view.value, root.amount);
    by("total").dataset.exact = root.amount;
    by("found").textContent = view.find === "" ? "" : `found in ${cells.amount(view.value, found)} of what is shown`;
    by("zoom").textContent = path === "" ? "" : `Zoomed to ${path}. Escape shows all.`;
  };

  const at = event => {
    const box = by("flame").getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return drawn.find(one => x >= one.px && x < one.px + one.pw && y >= one.py && y < one.py + ROW);
  };

  const describe = node => {
    const share = (100 * node.amount / Math.max(1, cells.tree(data, view, view.reversed).amount)).toPrecision(3);
    by("detail").textContent = `${cells.name(data, node.frame)}: ${cells.amount(view.value, node.amount)}, ${share} %`;
  };

  const zoomTo = node => {
    const path = [];
    for (; node && node.frame >= 0; node = node.parent) path.unshift(node.frame);
    view.zoom = path;
    flame();
  };

  const table = () => {
    const sums = cells.totals(data, {...view, cls: null});
    const find = by("filter").value.toLowerCase();
    const rows = data.classes.map((cls, id) => ({id, name: cls.name, amount: sums[id], median: cls.p50_ms}))
      .filter(row => row.amount > 0 && row.name.toLowerCase().includes(find));
    const key = {name: row => row.name, amount: row => row.amount, median: row => row.median ?? -1}[view.sort];
    rows.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (view.up ? 1 : -1));
    const all = rows.reduce((sum, row) => sum + row.amount, 0);
    by("rows").replaceChildren(...rows.slice(0, 500).map(row => {
      const line = document.createElement("tr");
      line.tabIndex = 0;
      line.dataset.cls = row.id;
      line.setAttribute("aria-selected", String(view.cls === row.id));
      const texts = [row.name, cells.amount(view.value, row.amount), (100 * row.amount / all).toFixed(1) + " %",
        row.median === null ? "-" : cells.duration(row.median)];
      line.append(...texts.map(text => Object.assign(document.createElement("td"), {textContent: text})));
      line.children[1].dataset.exact = row.amount;
      return line;
    }));
    by("more").textContent = rows.length > 500 ? `and ${rows.length - 500} more classes` : "";
    for (const button of document.querySelectorAll("th button")) {
      const sorted = button.dataset.sort === view.sort;
      button.closest("th").setAttribute("aria-sort", sorted ? (view.up ? "ascending" : "descending") : "none");
    }
  };

  const SVG = "http://www.w3.org/2000/svg";
  const shape = (name, attributes, text) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const bars = () => {
    const found = cells.histogram(data, view);
    const most = Math.max(1, ...found.map(bar => bar.dead + bar.living));
    const width = 400 / Math.max(1, found.length);
    const shapes = found.flatMap((bar, i) => {
      const [dead, living] = [150 * bar.dead / most, 150 * bar.living / most];
      const title = `${cells.duration(bar.from)} to ${cells.duration(bar.to)}: ${cells.amount(view.value, bar.dead)} dead, ${cells.amount(view.value, bar.living)} alive`;
      const group = shape("g", {});
      group.append(shape("title", {}, title),
        shape("rect", {class: "bar", x: i * width, y: 160 - dead, width: Math.max(1, width - 1), height: dead}),
        shape("rect", {class: "alive", x: i * width, y: 160 - dead - living, width: Math.max(1, width - 1), height: living}));
      const labelled = i % Math.ceil(found.length / 6) === 0;
      return labelled ? [group, shape("text", {x: i * width, y: 175}, cells.duration(bar.from))] : [group];
    });
    by("bars").replaceChildren(...shapes);
  };

  const curve = () => {
    const of = view.cls === null ? data.survival : data.classes[view.cls].survival;
    by("whose").textContent = view.cls === null ? "of all objects" : `of ${data.classes[view.cls].name}`;
    const points = of ?? [];
    if (points.length === 0) { by("curve").replaceChildren(shape("text", {x: 10, y: 90}, "Nothing is known.")); return; }
    const least = Math.log(Math.max(1, points[0][1])), most = Math.log(Math.max(2, points.at(-1)[1]));
    const x = ms => 400 * (Math.log(Math.max(1, ms)) - least) / Math.max(0.1, most - least);
    const y = share => 10 + 150 * share;
    const path = points.map(([gone, ms], i) => `${i ? "L" : "M"}${x(ms).toFixed(1)} ${y(gone).toFixed(1)}`).join("");
    const low = points.map(([gone, , low]) => `${x(low).toFixed(1)},${y(gone).toFixed(1)}`);
    const high = points.map(([gone, ms, , high]) => `${x(high ?? ms).toFixed(1)},${y(gone).toFixed(1)}`).reverse();
    by("curve").replaceChildren(shape("polygon", {class: "band", points: [...low, ...high].join(" ")}), shape("path", {class: "curve", d: path}),
      shape("text", {x: 2, y: 175}, cells.duration(points[0][1])), shape("text", {x: 398, y: 175, "text-anchor": "end"}, cells.duration(points.at(-1)[1])));
  };

  // Lanes of 800 by 70: what was allocated, what was live, pauses.
  const when = () => {
    const {begin_ms, steps, followed, pauses, paused} = data.timeline;
    const all = steps.reduce((sum, [ms]) => sum + ms, 0);
    by("when").hidden = all === 0;
    if (all === 0) return;
    const lanes = [["allocated", ([ms, allocated]) => cells.perSecond(allocated, ms), "/s at most"]];
    if (followed) lanes.push(["live after collections", ([, , , live]) => live, " at most"]);
    const shapes = lanes.flatMap(([label, of, words], lane) => {
      const means = cells.overTime(steps, 400, of), base = 80 * lane + 75;
      const most = Math.max(...steps.map(of)), high = value => (base - 60 * value / Math.max(1, most)).toFixed(1);
      const line = means.map((value, i) => `L${2 * i} ${high(value)}L${2 * i + 2} ${high(value)}`).join("");
      return [shape("path", {class: "area", d: `M0 ${base}${line}L800 ${base}Z`}),
        shape("text", {x: 4, y: 80 * lane + 12}, `${label}: ${cells.amount("bytes", Math.round(most))}${words}`)];
    });
    const x = ms => Math.min(800, Math.max(0, 800 * (ms - begin_ms) / all));
    const bars = pauses.map(({at_ms, us, kind, cause, before, after}) => {
      const high = 60 * Math.log1p(us) / Math.log1p(Math.max(1, paused[2]));
      const bar = shape("rect", {class: `pause ${kind}`, x: x(at_ms).toFixed(1), y: (235 - high).toFixed(1), width: 1.5, height: high.toFixed(1)});
      bar.append(shape("title", {}, [`${cells.duration(at_ms)}: ${kind}, ${cells.pause(us)}`, cause, heap(before, after)].filter(Boolean).join(", ")));
      return bar;
    });
    by("lanes").replaceChildren(...shapes, ...bars, shape("text", {x: 4, y: 172}, "pauses"));
    const left = paused[0] - pauses.length;
    by("paused").textContent = paused[0] === 0 ? "No pause is known." : `${paused[0]} pauses, ${cells.pause(paused[1])} in all, the longest ${cells.pause(paused[2])}.`
      + (left > 0 ? ` The ${left} shortest are not drawn.` : "");
    Object.assign(by("paused").dataset, {count: paused[0], us: paused[1], allocated: steps.reduce((sum, [, bytes]) => sum + bytes, 0)});
    by("pauses").replaceChildren(...pauses.toSorted((a, b) => b.us - a.us).slice(0, 20).map(one => {
      const line = document.createElement("tr");
      const texts = [cells.duration(one.at_ms), cells.pause(one.us), one.kind, one.cause, heap(one.before, one.after),
        one.promoted === null ? "" : cells.amount("bytes", one.promoted)];
      line.append(...texts.map(text => Object.assign(document.createElement("td"), {textContent: text})));
      return line;
    }));
  };
  const heap = (before, after) => after === null ? "" : before === null ? cells.amount("bytes", after) + " after"
    : `${cells.amount("bytes", before)} to ${cells.amount("bytes", after)}`;

  // The time that is chosen, on the lanes.
  const shade = () => {
    const {begin_ms, steps} = data.timeline, all = steps.reduce((sum, [ms]) => sum + ms, 0);
    by("lanes").querySelector(".during")?.remove();
    by("during").textContent = "";
    if (view.during === null) return;
    const [from, to] = [data.slices[view.during[0]][0], data.slices[view.during[1]][1]];
    by("during").textContent = `during ${cells.duration(from)} to ${cells.duration(to)}`;
    Object.assign(by("during").dataset, {from, to});
    const x = ms => 800 * (ms - begin_ms) / Math.max(1, all);
    by("lanes").prepend(shape("rect", {class: "during", x: x(from), y: 0, width: Math.max(1, x(to) - x(from)), height: 240}));
  };

  // The selection stands in the address, so that it can be sent to somebody.
  const FIELDS = ["value", "from", "to", "since", "until", "find", "filter"], TICKS = ["reversed", "icicle"];
  const remember = () => {
    const words = new URLSearchParams();
    for (const id of FIELDS) if (by(id).value !== "") words.set(id, by(id).value);
    for (const id of TICKS) if (by(id).checked) words.set(id, "1");
    if (view.cls !== null) words.set("class", data.classes[view.cls].name);
    history.replaceState(null, "", "#" + words);
  };
  const recall = () => {
    const words = new URLSearchParams(location.hash.slice(1));
    for (const id of FIELDS) if (words.has(id)) by(id).value = words.get(id);
    if (!data.values.includes(by("value").value)) by("value").value = data.value;
    for (const id of TICKS) by(id).checked = words.has(id);
    const cls = data.classes.findIndex(cls => cls.name === words.get("class"));
    view.cls = cls < 0 ? null : cls;
  };

  const draw = () => { flame(); table(); bars(); curve(); shade(); };

  const choose = cls => {
    view.cls = view.cls === cls ? null : cls;
    view.zoom = [];
    draw();
    remember();
  };

  const read = () => {
    view.value = by("value").value;
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
      : isLate ? "The run had ended before that time." : cells.knows(view) ? "" : "This number is known of the whole run alone.";
    view.find = by("find").value;
    if (view.reversed !== by("reversed").checked) view.zoom = [];
    view.reversed = by("reversed").checked;
    view.icicle = by("icicle").checked;
    draw();
  };
  by("choice").addEventListener("input", () => { read(); remember(); });
  by("choice").addEventListener("submit", event => event.preventDefault());
  by("filter").addEventListener("input", table);
  // A time is chosen on the lanes, too: by dragging.
  let begun = null;
  const moment = event => {
    const box = by("lanes").getBoundingClientRect(), {begin_ms, steps} = data.timeline;
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    return Math.round(begin_ms + share * steps.reduce((sum, [ms]) => sum + ms, 0));
  };
  by("lanes").addEventListener("pointerdown", event => { begun = data.slices.length > 0 ? moment(event) : null; });
  by("lanes").addEventListener("pointerup", event => {
    if (begun === null) return;
    const [since, until] = [begun, moment(event)].sort((a, b) => a - b);
    [by("since").value, by("until").value] = until > since ? [since + "ms", until + "ms"] : ["", ""];
    begun = null;
    read();
    remember();
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
  by("flame").addEventListener("mousemove", event => { const one = at(event); if (one) describe(one.node); });
  by("flame").addEventListener("click", event => { const one = at(event); if (one) zoomTo(one.node); });
  by("flame").addEventListener("keydown", event => {
    const here = zoomed(cells.tree(data, view, view.reversed));
    const largest = node => [...node.children.values()].sort((a, b) => b.amount - a.amount);
    const inward = view.icicle ? "ArrowDown" : "ArrowUp", outward = view.icicle ? "ArrowUp" : "ArrowDown";
    let next = null;
    if (event.key === inward || event.key === "Enter") next = largest(here)[0];
    if (event.key === outward) next = here.parent;
    if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && here.parent) {
      const side = largest(here.parent), i = side.indexOf(here) + (event.key === "ArrowRight" ? 1 : -1);
      next = side[i];
    }
    if (next) { event.preventDefault(); zoomTo(next); describe(next); }
  });
  document.addEventListener("keydown", event => { if (event.key === "Escape") { view.zoom = []; view.cls = null; draw(); } });
  window.addEventListener("resize", flame);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", flame);
  for (const id of ["since", "until"]) by(id).closest("label").hidden = data.slices.length === 0;
  recall();
  when();
  read();
  document.body.dataset.ready = "true";
})();
