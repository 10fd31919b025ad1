// A flame graph or icicle on a canvas: drawn, pointed at, walked through by keys. What it shows is told to it.
// Not here: adding up (`cells.js`), what else follows a click (`page.js`).
"use strict";
// given: {canvas, rectangles(least): [{frame, amount, x, width, depth, above}], name(frame), chosen(rectangle),
// described(rectangle), pointed(rectangle or null, event): what the pointer is at, isCode(frame): whether it is a method's, growth(rectangle): null, or from -1 to 1 what it is coloured by}. Returns {draw({icicle, find, zoomed}), found: the
// amount of what was searched for, hits: its frames that are drawn, packages: [{name, colour, width}] the widest first, cut: how many frames are not drawn, onPaper: whether it is to be printed}.
const flameGraph = given => {
  const {canvas} = given, ROW = 19;
  // After so many rows only those that are so wide in all are shown: a recursion is a tower that leaves all else blank. What is cut
  // is seen when it is zoomed to. On paper the graph stands below the head of the first sheet.
  const ALWAYS = 30, LEAST_WIDTH = 0.2, MOST_ROWS = 250, MOST_ON_PAPER = 24;
  let drawn = [], focus = null, last = {};

  // One colour per package (all up to the last dot but one).
  const packageOf = name => {
    const dot = name.lastIndexOf(".", name.lastIndexOf(".") - 1);
    return dot > 0 ? name.slice(0, dot) : name;
  };
  const hue = name => {
    let hash = 7;
    for (const c of packageOf(name)) hash = (hash * 31 + c.codePointAt(0)) >>> 0;
    return hash;
  };
  const colour = (hash, dark) => dark ? `hsl(${hash % 360} 26% ${30 + hash % 5}%)` : `hsl(${hash % 360} 48% ${80 + hash % 5}%)`;
  // A frame stands in many places: what is asked of its name is asked once.
  const known = new Map();
  const facts = (frame, context) => {
    let found = known.get(frame);
    if (!found) {
      const name = given.name(frame), short = name.slice(name.lastIndexOf(".", name.lastIndexOf(".") - 1) + 1);
      found = {name, short, small: name.toLowerCase(), hash: hue(name), wide: context.measureText(name).width, less: context.measureText(short).width};
      known.set(frame, found);
    }
    return found;
  };

  // What grew is red, what shrank blue; deepest from half of the larger on.
  const heat = (growth, dark) => {
    const share = Math.min(1, Math.abs(growth) * 2), hue = growth > 0 ? 10 : 212;
    return dark ? `hsl(${hue} ${70 * share}% ${28 + 8 * share}%)` : `hsl(${hue} ${80 * share}% ${89 - 15 * share}%)`;
  };

  const rowsOf = all => {
    const widths = [];
    for (const {depth, width} of all) widths[depth] = (widths[depth] ?? 0) + width;
    const wide = widths.findLastIndex((width, depth) => depth < ALWAYS || width >= LEAST_WIDTH);
    return Math.min(graph.onPaper ? MOST_ON_PAPER : MOST_ROWS, 1 + Math.max(0, wide));
  };

  const sized = (width, rows) => {
    // Browsers bound the sides of a canvas.
    const ratio = Math.min(window.devicePixelRatio || 1, 32000 / (rows * ROW), 32000 / width);
    canvas.style.height = rows * ROW + "px";
    [canvas.width, canvas.height] = [width * ratio, rows * ROW * ratio];
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.font = "12px " + getComputedStyle(document.body).fontFamily;
    context.textBaseline = "middle";
    return context;
  };

  // As much of a name as fits; the end of it says most.
  const fitted = (context, {name, short, wide, less}, width) => {
    if (wide <= width) return name;
    if (less <= width) return short;
    // Letters are not of one width.
    const cut = letters => short.slice(0, letters) + "\u2026";
    let letters = Math.floor(short.length * width / less);
    while (letters > 2 && context.measureText(cut(letters)).width > width) letters--;
    return letters > 2 ? cut(letters) : "";
  };

  const draw = wanted => {
    last = wanted ?? last;
    const width = canvas.clientWidth || 800, find = (last.find ?? "").toLowerCase();
    const all = given.rectangles(0.4 / width), rows = rowsOf(all);
    const context = sized(width, rows), ink = graph.onPaper ? "#1b1f24" : getComputedStyle(document.body).color;
    const dark = !graph.onPaper && matchMedia("(prefers-color-scheme: dark)").matches;
    graph.found = 0;
    graph.hits = new Set();
    const packages = new Map();
    for (const one of all) {
      const frame = facts(one.frame, context), isHit = find !== "" && one.frame !== null && frame.small.includes(find);
      one.isInHit = one.above !== null && (one.above.isInHit || one.above.isHit);
      one.isHit = isHit;
      if (isHit && !one.isInHit) graph.found += one.amount;
      if (one.depth >= rows) continue;
      if (isHit) graph.hits.add(one.frame);
      if (one.frame !== null && one.frame >= 0 && given.isCode?.(one.frame) !== false) {
        const name = packageOf(frame.name), sum = packages.get(name) ?? {name, colour: colour(frame.hash, dark), width: 0};
        sum.width += one.width;
        packages.set(name, sum);
      }
      Object.assign(one, {px: one.x * width, pw: one.width * width, py: (last.icicle ? one.depth : rows - 1 - one.depth) * ROW});
      // What is above the frame that is zoomed to is paler.
      context.globalAlpha = one.depth < (last.zoomed ?? 0) ? 0.45 : 1;
      context.fillStyle = isHit ? (dark ? "#a8327a" : "#f2a0cf") : one.frame === null ? (dark ? "#2b313a" : "#e6e9ed")
        : given.growth(one) === null ? colour(frame.hash, dark) : heat(given.growth(one), dark);
      context.fillRect(one.px, one.py, Math.max(0.4, one.pw - (one.pw > 2 ? 1 : 0)), ROW - 1);
      context.globalAlpha = 1;
      if (one.pw > 24) {
        context.fillStyle = ink;
        context.fillText(fitted(context, frame, one.pw - 8), one.px + 4, one.py + ROW / 2);
      }
    }
    graph.packages = [...packages.values()].sort((a, b) => b.width - a.width);
    // Where it goes on.
    context.fillStyle = ink;
    for (const {above} of all) {
      if (above?.depth === rows - 1) context.fillRect(above.px, last.icicle ? above.py + ROW - 2 : above.py, Math.max(1, above.pw - 1), 2);
    }
    drawn = all.filter(({depth}) => depth < rows);
    graph.cut = all.length - drawn.length;
    canvas.setAttribute("aria-label", `${last.icicle ? "Icicle" : "Flame"} graph of ${drawn.length} frames`);
    if (focus) focus = drawn.find(one => same(one, focus)) ?? null;
    if (focus && document.activeElement === canvas) outline(focus);
  };

  const outline = one => {
    const context = canvas.getContext("2d");
    context.strokeStyle = getComputedStyle(canvas).getPropertyValue("--mark") || "#0b62a8";
    context.lineWidth = 2;
    context.strokeRect(one.px + 1, one.py + 1, Math.max(2, one.pw - 3), ROW - 3);
  };
  const same = (a, b) => {
    for (; a !== null && b !== null; a = a.above, b = b.above) if (a.frame !== b.frame) return false;
    return a === b;
  };
  const at = event => {
    const box = canvas.getBoundingClientRect(), [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return drawn.find(one => x >= one.px && x < one.px + one.pw && y >= one.py && y < one.py + ROW);
  };

  canvas.addEventListener("mousemove", event => {
    const one = at(event) ?? null;
    given.pointed(one, event);
    if (one) given.described(one);
  });
  canvas.addEventListener("mouseleave", event => given.pointed(null, event));
  canvas.addEventListener("click", event => { const one = at(event); if (one) { focus = one; given.chosen(one); } });
  canvas.addEventListener("focus", () => { if (focus) outline(focus); });
  canvas.addEventListener("blur", () => draw());
  canvas.addEventListener("keydown", event => {
    const here = focus ?? drawn[0], inward = last.icicle ? "ArrowDown" : "ArrowUp", outward = last.icicle ? "ArrowUp" : "ArrowDown";
    const row = above => drawn.filter(one => one.above === above).sort((a, b) => a.x - b.x);
    let next = null;
    if (event.key === inward) next = row(here)[0];
    else if (event.key === outward) next = here?.above;
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      const side = here?.above ? row(here.above) : [here];
      next = side[side.indexOf(here) + (event.key === "ArrowRight" ? 1 : -1)];
    } else if (event.key === "Home") next = drawn[0];
    else if ((event.key === "Enter" || event.key === " ") && here) { event.preventDefault(); focus = here; given.chosen(here); return; }
    if (next) { event.preventDefault(); focus = next; draw(); given.described(next); }
  });

  const graph = {draw, found: 0, hits: new Set(), packages: [], cut: 0, onPaper: false};
  return graph;
};
