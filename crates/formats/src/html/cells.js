// Adds up cells. No document, no canvas: what is here is tested by itself (node).
// data: {values:[names], frames:[text], classes:[{name,...}], spans:[[after_ms,by_ms|null]], cells:[[class,[frames],[[span,[amounts]]]]]}
"use strict";
const cells = (() => {
  // The length that decides: the middle of the interval of the dead, the age of the living.
  const middle = ([after, by]) => by === null ? after : Math.floor((after + by) / 2);

  // Whether each span is in the band [from, to); a part without a span only if there is no band.
  const chosen = (data, {from, to}) => {
    const all = from === null && to === null;
    const inside = data.spans.map(span => {
      const ms = middle(span);
      return ms >= (from ?? 0) && (to === null || ms < to);
    });
    return span => all || (span >= 0 && inside[span]);
  };

  // Calls each(cell, amount) for the cells of the selection {value, from, to, cls}.
  const each = (data, selection, visit) => {
    const takes = chosen(data, selection);
    const at = data.values.indexOf(selection.value);
    for (const cell of data.cells) {
      if (selection.cls != null && cell[0] !== selection.cls) continue;
      let amount = 0;
      for (const [span, amounts] of cell[2]) if (takes(span)) amount += amounts[at];
      if (amount > 0) visit(cell, amount);
    }
  };

  // Totals by class.
  const totals = (data, selection) => {
    const sums = new Array(data.classes.length).fill(0);
    each(data, selection, (cell, amount) => { sums[cell[0]] += amount; });
    return sums;
  };

  // A tree of frames: {frame, amount, children: Map}. Outermost first, or innermost first if reversed.
  const tree = (data, selection, reversed) => {
    const root = {frame: -1, amount: 0, children: new Map()};
    each(data, selection, (cell, amount) => {
      const leaf = data.frames.length + cell[0];
      const path = reversed ? [leaf, ...cell[1].toReversed()] : [...cell[1], leaf];
      let node = root;
      node.amount += amount;
      for (const frame of path) {
        let child = node.children.get(frame);
        if (!child) node.children.set(frame, child = {frame, amount: 0, children: new Map(), parent: node});
        child.amount += amount;
        node = child;
      }
    });
    return root;
  };

  const name = (data, frame) => frame < 0 ? "all" : frame < data.frames.length ? data.frames[frame]
    : data.classes[frame - data.frames.length].readable;

  // Rectangles {node, x, width, depth} of a tree, of which none is narrower than `least` of the whole width 1.
  const rectangles = (root, least) => {
    const found = [];
    const walk = (node, x, width, depth) => {
      found.push({node, x, width, depth});
      let from = x;
      const order = [...node.children.values()].sort((a, b) => b.amount - a.amount);
      for (const child of order) {
        const part = width * child.amount / node.amount;
        if (part >= least) walk(child, from, part, depth + 1);
        from += part;
      }
    };
    if (root.amount > 0) walk(root, 0, 1, 0);
    return found;
  };

  // Bars of a histogram of lifetimes: [{from, to, dead, living}] in ms, two per octave.
  const histogram = (data, selection) => {
    const bars = new Map();
    const at = data.values.indexOf(selection.value);
    const takes = chosen(data, selection);
    for (const [cls, , parts] of data.cells) {
      if (selection.cls != null && cls !== selection.cls) continue;
      for (const [span, amounts] of parts) {
        if (span < 0 || !takes(span)) continue;
        const step = Math.max(0, Math.floor(2 * Math.log2(Math.max(1, middle(data.spans[span])))));
        const bar = bars.get(step) ?? {from: step === 0 ? 0 : 2 ** (step / 2), to: 2 ** ((step + 1) / 2), dead: 0, living: 0};
        bar[data.spans[span][1] === null ? "living" : "dead"] += amounts[at];
        bars.set(step, bar);
      }
    }
    return [...bars.entries()].sort((a, b) => a[0] - b[0]).map(([, bar]) => bar);
  };

  // "500ms", "30s", "5m", "1h" in ms; null if empty, NaN if it is no time.
  const time = text => {
    if (text.trim() === "") return null;
    const match = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)\s*$/.exec(text);
    return match ? Number(match[1]) * {ms: 1, s: 1e3, m: 6e4, h: 36e5}[match[2]] : NaN;
  };

  const scaled = (value, base, units, none) => {
    let unit = -1;
    while (value >= base && unit < units.length - 1) { value /= base; unit++; }
    const digits = unit < 0 ? value.toFixed(0) : value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0);
    return unit < 0 ? digits + none : digits + " " + units[unit];
  };
  const amount = (value, number) => ["objects", "live-objects"].includes(value)
    ? scaled(number, 1000, ["k", "M", "G", "T"], "")
    : scaled(number, 1024, ["KiB", "MiB", "GiB", "TiB", "PiB"], " B") + (value === "byte-seconds" ? " s" : "");
  const duration = ms => ms < 1000 ? Math.round(ms) + " ms" : ms < 6e4 ? +(ms / 1e3).toPrecision(3) + " s"
    : ms < 36e5 ? +(ms / 6e4).toPrecision(3) + " min" : +(ms / 36e5).toPrecision(3) + " h";

  return {middle, totals, tree, name, rectangles, histogram, time, amount, duration};
})();
if (typeof module !== "undefined") module.exports = cells;
