// Adds up cells. No document, no canvas: what is here is tested by itself (node).
// data: {values:[names], frames:[text], classes:[{name,...}], spans:[[after_ms,by_ms|null]],
//   cells:[[class,[frames],[amounts],[[span,objects,bytes]]]], slices:[[from_ms,to_ms,[[cell,objects,bytes,[[span,objects,bytes]]]]]]}
// A selection: {value, cls, from, to: lengths of life in ms, during: [first slice, last slice]}; null is all.
"use strict";
const cells = (() => {
  // The length that decides: the middle of the interval of the dead, the age of the living.
  const middle = ([after, by]) => by === null ? after : Math.floor((after + by) / 2);

  // Whether each span is in the band [from, to).
  const chosen = (data, {from, to}) => {
    const inside = data.spans.map(span => {
      const ms = middle(span);
      return ms >= (from ?? 0) && (to === null || ms < to);
    });
    return span => inside[span];
  };

  // The slices around a time in ms, [first, last]; null is all; undefined if there are none in it.
  const slices = (data, since, until) => {
    if (since === null && until === null) return null;
    const first = data.slices.findLastIndex(([from]) => from <= (since ?? 0));
    const end = data.slices.findIndex(([, to]) => until !== null && to >= until);
    const last = end < 0 ? data.slices.length - 1 : end;
    return first < 0 || data.slices[first][1] <= (since ?? 0) ? undefined : [first, last];
  };

  // Of a cell: objects and bytes allocated, and lives, in some slices: the dead of all of them, the living at the end.
  const happened = (data, [first, last]) => {
    const cells = new Map();
    for (let at = first; at <= last; at++) {
      for (const [id, objects, bytes, lives] of data.slices[at][2]) {
        let cell = cells.get(id);
        if (!cell) cells.set(id, cell = {objects: 0, bytes: 0, lives: []});
        cell.objects += objects;
        cell.bytes += bytes;
        for (const life of lives) if (at === last || data.spans[life[0]][1] !== null) cell.lives.push(life);
      }
    }
    return cells;
  };
  let cached = {};
  const inTime = (data, during) => {
    const key = during.join();
    if (cached.data !== data || cached.key !== key) cached = {data, key, cells: happened(data, during)};
    return cached.cells;
  };

  // What a life counts for: nothing if the value is not known by lengths of life.
  const worth = (value, [after, by], objects, bytes) => {
    switch (value) {
      case "bytes": return bytes;
      case "objects": return objects;
      case "live": return by === null ? bytes : 0;
      case "live-objects": return by === null ? objects : 0;
      case "byte-seconds": return bytes * middle([after, by]) / 1000;
      default: return 0;
    }
  };
  // Whether a value is known of the selection.
  const knows = ({value, from, to, during}) => !["died-young", "survived"].includes(value)
    || (from === null && to === null && during === null);

  // Calls each(cell, amount) for the cells of the selection.
  const each = (data, selection, visit) => {
    const {value, cls, during} = selection, banded = selection.from !== null || selection.to !== null;
    const takes = chosen(data, selection), at = data.values.indexOf(value);
    const timed = during === null ? null : inTime(data, during);
    data.cells.forEach((cell, id) => {
      if (cls !== null && cell[0] !== cls) return;
      const part = timed === null ? null : timed.get(id);
      if (timed !== null && !part) return;
      let amount = 0;
      if (!banded && part === null) amount = cell[2][at];
      else if (!banded && (value === "bytes" || value === "objects")) amount = part[value];
      else {
        for (const [span, objects, bytes] of part === null ? cell[3] : part.lives) {
          if (takes(span)) amount += worth(value, data.spans[span], objects, bytes);
        }
        amount = Math.round(amount);
      }
      if (amount > 0) visit(cell, amount);
    });
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
    const takes = chosen(data, selection), timed = selection.during === null ? null : inTime(data, selection.during);
    data.cells.forEach(([cls, , , lives], id) => {
      if (selection.cls !== null && cls !== selection.cls) return;
      for (const [span, objects, bytes] of timed === null ? lives : timed.get(id)?.lives ?? []) {
        if (!takes(span)) continue;
        const step = Math.max(0, Math.floor(2 * Math.log2(Math.max(1, middle(data.spans[span])))));
        const bar = bars.get(step) ?? {from: step === 0 ? 0 : 2 ** (step / 2), to: 2 ** ((step + 1) / 2), dead: 0, living: 0};
        bar[data.spans[span][1] === null ? "living" : "dead"] += worth(selection.value, data.spans[span], objects, bytes);
        bars.set(step, bar);
      }
    });
    return [...bars.entries()].sort((a, b) => a[0] - b[0]).map(([, bar]) => bar);
  };

  // Means of a number per second in so many equal parts of the whole time. steps: [ms, ...]; of(step) is what there was per second.
  const overTime = (steps, columns, of) => {
    const width = steps.reduce((sum, [ms]) => sum + ms, 0) / columns;
    const means = new Array(columns).fill(0);
    let from = 0;
    for (const step of steps) {
      const to = from + step[0];
      for (let i = Math.floor(from / width); i < columns && i * width < to; i++) {
        means[i] += of(step) * Math.max(0, Math.min(to, (i + 1) * width) - Math.max(from, i * width)) / width;
      }
      from = to;
    }
    return means;
  };
  const perSecond = (bytes, ms) => ms === 0 ? 0 : bytes * 1000 / ms;

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

  const pause = us => us < 1e6 ? +(us / 1e3).toPrecision(3) + " ms" : duration(us / 1e3);

  return {middle, slices, knows, totals, tree, name, rectangles, histogram, overTime, perSecond, time, amount, duration, pause};
})();
if (typeof module !== "undefined") module.exports = cells;
