// Adds up cells. No document, no canvas: what is here is tested by itself (node).
// data: {values:[names], frames:[text], classes:[{name,...}], spans:[[after_ms,by_ms|null]], tree:{up:[how far before it the
//   node above stands], frame:[frame, or -1 - class at the end of a stack]}, cells:[[node,[amounts],[span,objects,bytes,...]]],
//   sides: [[before,... after,...]] of each cell, each of all values, where two are compared, instead of amounts,
//   slices:[[from_ms,to_ms,[[cell,objects,bytes,[span,objects,bytes,...]]]]], sliced_stacks: how many those tell apart | null,
//   groups:[{key,heading,names,of:[of each cell the number of its name, or -1]}]: by what else stacks are grouped,
//   traces:{rows:[{trace,cell,bytes,objects}]}: which objects that were made in requests are alive; null: not known}
// A selection: {value, cls, from, to: lengths of life in ms, during: [first slice, last slice], under: {path:[frames], reversed},
// side: of two sides "before", "after", or the larger of both, groups: [of each dimension the number of a name], trace: the id of one}; null is all.
"use strict";
const cells = (() => {
  // What is packed into the page: JSON, gzipped, in letters.
  const unpacked = async text => {
    const letters = atob(text), bytes = new Uint8Array(letters.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
    return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
  };

  // The length that byte-seconds count: the middle of the interval of the dead, the age of the living.
  const middle = ([after, by]) => by === null ? after : Math.floor((after + by) / 2);

  // The tree in arrays, made once: nodes stand behind those above them; children are lists (first, next).
  const indices = new WeakMap();
  const index = data => {
    let found = indices.get(data);
    if (found) return found;
    const {up, frame} = data.tree, count = up.length + 1;
    found = {above: new Int32Array(count), frame: new Int32Array(count), first: new Int32Array(count), next: new Int32Array(count)};
    for (let node = 1; node < count; node++) {
      const above = found.above[node] = node - up[node - 1];
      found.frame[node] = frame[node - 1];
      found.next[node] = found.first[above];
      found.first[above] = node;
    }
    found.cls = Int32Array.from(data.cells, ([node]) => -1 - found.frame[node]);
    found.middle = Float64Array.from(data.spans, middle);
    // The length that decides: up to which age an object was alive for sure. Who died before its first collection is in step 0.
    found.sure = Float64Array.from(data.spans, ([after]) => after);
    found.step = Int32Array.from(found.sure, stepOf);
    found.living = Uint8Array.from(data.spans, ([, by]) => by === null);
    // The lives of all cells one after the other: those of cell i from begin[i] to begin[i + 1].
    found.begin = new Int32Array(data.cells.length + 1);
    data.cells.forEach(([, , lives], id) => { found.begin[id + 1] = found.begin[id] + lives.length; });
    found.lives = new Float64Array(found.begin[data.cells.length]);
    data.cells.forEach(([, , lives], id) => found.lives.set(lives, found.begin[id]));
    indices.set(data, found);
    return found;
  };

  // Whether each span is in the band [from, to).
  const chosen = (data, {from, to}) => Uint8Array.from(index(data).sure, ms => ms >= (from ?? 0) && (to === null || ms < to));

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
        for (let i = 0; i < lives.length; i += 3) {
          if (at === last || data.spans[lives[i]][1] !== null) cell.lives.push(lives[i], lives[i + 1], lives[i + 2]);
        }
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
  const worth = (value, living, ms, objects, bytes) => {
    switch (value) {
      case "bytes": return bytes;
      case "objects": return objects;
      case "live": return living ? bytes : 0;
      case "live-objects": return living ? objects : 0;
      case "byte-seconds": return bytes * ms / 1000;
      default: return 0;
    }
  };
  // Of one trace it is known what is alive at the end, and nothing else.
  const OF_TRACES = {live: "bytes", "live-objects": "objects"};
  // Whether a value is known of the selection.
  const knows = ({value, from, to, during, trace}) => {
    const isWhole = from === null && to === null && during === null;
    return (trace ?? null) !== null ? isWhole && value in OF_TRACES : isWhole || !["died-young", "survived", "optimised-away"].includes(value);
  };

  // The node at the end of a path of frames; 0 if there is none.
  const nodeAt = (data, path) => {
    const {first, next, frame} = index(data);
    let node = 0;
    for (const wanted of path) {
      node = first[node];
      while (node !== 0 && frame[node] !== wanted) node = next[node];
      if (node === 0) return 0;
    }
    return node;
  };

  // Whether cells are under a frame: cell => 0 or 1.
  const under = (data, selection) => {
    if (!selection.under || selection.under.path.length === 0) return () => 1;
    const {above, frame} = index(data), {path, reversed} = selection.under;
    if (reversed) return id => {
      let node = data.cells[id][0];
      for (const wanted of path) {
        if (node === 0 || frame[node] !== wanted) return 0;
        node = above[node];
      }
      return 1;
    };
    const top = nodeAt(data, path), inside = new Uint8Array(above.length);
    if (top !== 0) inside[top] = 1;
    for (let node = top + 1; node < inside.length; node++) inside[node] |= inside[above[node]];
    return id => inside[data.cells[id][0]];
  };

  // Whether cells are of the groups that are chosen.
  const inGroups = (data, {groups}) => {
    const chosen = (groups ?? []).flatMap((name, at) => name === null ? [] : [[data.groups[at].of, name]]);
    return id => chosen.every(([of, name]) => of[id] === name);
  };

  // Calls visit(id, lives, from, to, part) for the cells that the class, the frame, the groups and the time of a selection leave: their lives
  // are [span, objects, bytes, ...] in lives from `from` to `to`.
  const left = (data, selection, visit) => {
    const {cls, during} = selection, {cls: classes, lives, begin} = index(data), inside = under(data, selection), grouped = inGroups(data, selection);
    const timed = during === null ? null : inTime(data, during);
    for (let id = 0; id < data.cells.length; id++) {
      if ((cls !== null && classes[id] !== cls) || !inside(id) || !grouped(id)) continue;
      const part = timed?.get(id);
      if (timed === null) visit(id, lives, begin[id], begin[id + 1], null);
      else if (part) visit(id, part.lives, 0, part.lives.length, part);
    }
  };

  // What a cell has; of two sides that which is chosen.
  const had = (data, id, at, side) => {
    if (!data.sides) return data.cells[id][1][at];
    const before = data.sides[id][at], after = data.sides[id][data.values.length + at];
    return side === "before" ? before : side === "after" ? after : Math.max(before, after);
  };

  // What each cell has of a trace.
  const ofTrace = (data, selection) => {
    const amounts = new Float64Array(data.cells.length), inside = under(data, selection), grouped = inGroups(data, selection);
    if (knows(selection)) for (const {trace, cell, ...live} of data.traces.rows) {
      if (trace === selection.trace && cell !== null && inside(cell) && grouped(cell)) amounts[cell] += live[OF_TRACES[selection.value]];
    }
    return amounts;
  };

  // What each cell counts for in the selection, whatever its class.
  const counted = (data, selection) => {
    if ((selection.trace ?? null) !== null) return ofTrace(data, selection);
    const {value} = selection, banded = selection.from !== null || selection.to !== null;
    const takes = chosen(data, selection), at = data.values.indexOf(value), {middle: ms, living} = index(data);
    const amounts = new Float64Array(data.cells.length);
    left(data, {...selection, cls: null}, (id, lives, from, to, part) => {
      let amount = 0;
      if (!banded && part === null) amount = had(data, id, at, selection.side);
      else if (!banded && (value === "bytes" || value === "objects")) amount = part[value];
      else {
        for (let i = from; i < to; i += 3) {
          const span = lives[i];
          if (takes[span]) amount += worth(value, living[span], ms[span], lives[i + 1], lives[i + 2]);
        }
        amount = Math.round(amount);
      }
      amounts[id] = amount;
    });
    return amounts;
  };
  // The table, the total and the flame graph ask for the same; of two sides for both.
  let kept = {};
  const amounts = (data, selection) => {
    const {value, from, to, during, under, groups, trace, side} = selection, key = JSON.stringify([from, to, during, under, groups, trace]), which = value + " " + side;
    if (kept.data !== data || kept.key !== key) kept = {data, key, of: new Map()};
    if (!kept.of.has(which)) kept.of.set(which, counted(data, selection));
    return kept.of.get(which);
  };

  // Calls visit(id, amount) for the cells of the selection.
  const each = (data, selection, visit) => {
    const {cls} = selection, classes = index(data).cls, all = amounts(data, selection);
    for (let id = 0; id < all.length; id++) {
      if (all[id] > 0 && (cls === null || classes[id] === cls)) visit(id, all[id]);
    }
  };

  // Totals by class.
  const totals = (data, selection) => {
    const sums = new Array(data.classes.length).fill(0), {cls} = index(data);
    each(data, selection, (id, amount) => { sums[cls[id]] += amount; });
    return sums;
  };

  // Totals by the groups of a dimension, whichever of them is chosen; the last is of what has none.
  const groupTotals = (data, selection, dimension) => {
    const {names, of} = data.groups[dimension], sums = new Array(names.length + 1).fill(0);
    each(data, {...selection, groups: (selection.groups ?? []).with(dimension, null)}, (id, amount) => { sums[of[id] < 0 ? names.length : of[id]] += amount; });
    return sums;
  };

  // The amount of the selection of which a frame, or the class, is one of these, drawn or too narrow for that.
  const found = (data, selection, isOne) => {
    const {above, frame} = index(data), hit = new Uint8Array(above.length);
    for (let node = 1; node < above.length; node++) hit[node] = hit[above[node]] || isOne(frame[node]) ? 1 : 0;
    let sum = 0;
    each(data, selection, (id, amount) => { if (hit[data.cells[id][0]]) sum += amount; });
    return sum;
  };

  // Those of these frames, or classes, that have anything of the selection.
  const foundFrames = (data, selection, isOne) => {
    const {above, frame} = index(data), sums = new Float64Array(above.length), hit = new Set();
    each(data, selection, (id, amount) => { sums[data.cells[id][0]] += amount; });
    for (let node = sums.length - 1; node > 0; node--) {
      sums[above[node]] += sums[node];
      if (sums[node] > 0 && isOne(frame[node])) hit.add(frame[node]);
    }
    return hit;
  };

  // Objects of the selection by length of life: [[span, objects]].
  const livesOf = (data, selection) => {
    const takes = chosen(data, selection), sums = new Map();
    left(data, selection, (id, lives, from, to) => {
      for (let i = from; i < to; i += 3) if (takes[lives[i]]) sums.set(lives[i], (sums.get(lives[i]) ?? 0) + lives[i + 1]);
    });
    return [...sums];
  };

  // The lines of a frame on a path, reversed or not, as far as they are known.
  const linesAt = (data, path, reversed) => {
    const {above, frame} = index(data), lines = data.tree.lines ?? [], found = new Set();
    const add = node => { for (const line of lines[node - 1] ?? []) found.add(line); };
    if (!reversed) add(nodeAt(data, path));
    else for (const [leaf] of data.cells) {
      let node = leaf;
      for (const wanted of path.slice(0, -1)) node = node !== 0 && frame[node] === wanted ? above[node] : 0;
      if (node !== 0 && frame[node] === path.at(-1)) add(node);
    }
    return [...found].sort((a, b) => a - b);
  };

  // Rectangles {frame, amount, x, width, depth, above} of the stacks of a selection, none narrower than `least` of the whole width
  // 1; the outermost frame first, or the class first if reversed. The first is all. above: the rectangle it stands on.
  // sides: what it is before and after, where two are compared.
  const flame = (data, selection, reversed, least) => {
    const taken = selection => {
      const amounts = new Float64Array(data.cells.length);
      each(data, selection, (id, amount) => { amounts[id] = amount; });
      return amounts;
    };
    const amounts = taken(selection), sides = data.sides ? SIDES.map(side => taken({...selection, side})) : [];
    const sum = amounts => amounts.reduce((sum, amount) => sum + amount, 0), total = sum(amounts);
    const all = {frame: null, amount: total, sides: sides.map(sum), x: 0, width: 1, depth: 0, above: null};
    if (total === 0) return [];
    return (reversed ? fromClasses : fromOutside)(data, amounts, sides, all, least);
  };
  const SIDES = ["before", "after"];
  // How much more (to 1) or less (to -1) there is after than before, of the larger of both.
  const growth = ([before, after]) => before === after ? 0 : (after - before) / Math.max(before, after);

  // Lays children {frame, amount, ...} out on a rectangle, the largest first.
  const laid = (found, one, children, least) => {
    const shown = [];
    let x = one.x;
    for (const child of children.sort((a, b) => b.amount - a.amount)) {
      const width = one.width * child.amount / one.amount;
      if (width < least) break;
      shown.push(Object.assign(child, {x, width, depth: one.depth + 1, above: one}));
      x += width;
    }
    found.push(...shown);
    return shown;
  };

  const fromOutside = (data, amounts, sides, all, least) => {
    const {above, frame, first, next} = index(data);
    const upwards = amounts => {
      const sums = new Float64Array(above.length);
      data.cells.forEach(([node], id) => { sums[node] += amounts[id]; });
      for (let node = sums.length - 1; node > 0; node--) sums[above[node]] += sums[node];
      return sums;
    };
    const sums = upwards(amounts), ofSides = sides.map(upwards);
    const found = [all], open = [Object.assign(all, {node: 0})];
    while (open.length > 0) {
      const one = open.pop(), children = [];
      for (let node = first[one.node]; node !== 0; node = next[node]) {
        if (sums[node] > 0) children.push({frame: frame[node], amount: sums[node], sides: ofSides.map(sums => sums[node]), node});
      }
      open.push(...laid(found, one, children, least));
    }
    return found;
  };

  // Only what is wide enough to be seen is divided further.
  const fromClasses = (data, amounts, sides, all, least) => {
    const {above, frame} = index(data), at = Int32Array.from(data.cells, ([node]) => node);
    const some = [];
    amounts.forEach((amount, id) => { if (amount > 0) some.push(id); });
    const found = [all], open = [Object.assign(all, {some})];
    while (open.length > 0) {
      const one = open.pop(), children = new Map();
      for (const id of one.some) {
        const node = at[id];
        if (node === 0) continue;
        let child = children.get(frame[node]);
        if (!child) children.set(frame[node], child = {frame: frame[node], amount: 0, sides: sides.map(() => 0), some: []});
        child.amount += amounts[id];
        sides.forEach((of, side) => { child.sides[side] += of[id]; });
        child.some.push(id);
        at[id] = above[node];
      }
      one.some = null;
      open.push(...laid(found, one, [...children.values()], least));
    }
    return found;
  };

  // The frames from the first to a rectangle.
  const path = one => {
    const frames = [];
    for (; one !== null && one.frame !== null; one = one.above) frames.unshift(one.frame);
    return frames;
  };

  const readable = cls => cls.readable ?? cls.name;
  const name = (data, frame) => frame === null ? "all" : frame >= 0 ? data.frames[frame] : readable(data.classes[-1 - frame]);

  // Steps of a length of life: 0 below 1, then two per octave.
  const stepOf = length => length < 1 ? 0 : 1 + Math.floor(2 * Math.log2(length));
  const startOf = step => step === 0 ? 0 : 2 ** ((step - 1) / 2);
  const bar = (step, dead, living) => ({step, from: startOf(step), to: startOf(step + 1), dead, living});
  // Step 0, if there is anything in it, then without gaps between the first age and the last.
  const closed = bars => {
    const steps = [...bars.keys()].sort((a, b) => a - b), all = [];
    if (steps[0] === 0) all.push(bars.get(steps.shift()));
    for (let step = steps[0]; step <= steps.at(-1); step++) all.push(bars.get(step) ?? bar(step, 0, 0));
    return all;
  };

  // Bars of a histogram of lifetimes by time: [{from, to, dead, living}] in ms.
  const histogram = (data, selection) => {
    const takes = chosen(data, selection), {middle: ms, step, living} = index(data), {value} = selection;
    const dead = [], alive = [];
    let atMost = 0;
    left(data, selection, (id, lives, from, to) => {
      for (let i = from; i < to; i += 3) {
        const span = lives[i];
        if (!takes[span]) continue;
        const sums = living[span] ? alive : dead, at = step[span];
        if (at === 0 && !living[span]) atMost = Math.max(atMost, data.spans[span][1]);
        sums[at] = (sums[at] ?? 0) + worth(value, living[span], ms[span], lives[i + 1], lives[i + 2]);
      }
    });
    const steps = new Set([...Object.keys(dead), ...Object.keys(alive)].map(Number));
    return closed(new Map(Array.from(steps, step => [step, {...bar(step, dead[step] ?? 0, alive[step] ?? 0), ...(step === 0 ? {atMost} : {})}])));
  };

  // The same by another clock ("gcs", "bytes"), of the whole run or of a class; null where it is not known.
  const byClock = (data, selection, clock) => {
    const rows = (selection.cls === null ? data.clocks : data.classes[selection.cls].clocks)?.[clock];
    if (!rows || rows.length === 0) return null;
    const objects = ["objects", "live-objects"].includes(selection.value), living = selection.value.startsWith("live");
    return closed(new Map(rows.map(([step, dead, deadBytes, alive, aliveBytes]) =>
      [step, bar(step, living ? 0 : objects ? dead : deadBytes, objects ? alive : aliveBytes)])));
  };

  // Of each class how long its objects lived: {least, most, of: [[by step]]}, in objects or bytes.
  const spreads = (data, selection) => {
    const takes = chosen(data, selection), {cls, step: steps} = index(data), of = new Map();
    const at = ["objects", "live-objects"].includes(selection.value) ? 1 : 2;
    let least = Infinity, most = 0;
    left(data, {...selection, cls: null}, (id, lives, from, to) => {
      let sums = of.get(cls[id]);
      if (!sums) of.set(cls[id], sums = []);
      for (let i = from; i < to; i += 3) {
        if (!takes[lives[i]]) continue;
        const step = steps[lives[i]];
        sums[step] = (sums[step] ?? 0) + lives[i + at];
        least = Math.min(least, step);
        most = Math.max(most, step);
      }
    });
    return {least, most, of};
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
  // The other way.
  const timeText = ms => ms % 36e5 === 0 && ms > 0 ? ms / 36e5 + "h" : ms % 6e4 === 0 && ms > 0 ? ms / 6e4 + "m"
    : ms % 1e3 === 0 ? ms / 1e3 + "s" : ms + "ms";

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
  // An age on a clock.
  const age = (clock, length) => clock === "ms" ? duration(length) : clock === "bytes" ? amount("bytes", length)
    : Math.round(length) + (Math.round(length) === 1 ? " GC" : " GCs");
  const pause = us => us < 1e6 ? +(us / 1e3).toPrecision(3) + " ms" : duration(us / 1e3);
  const signed = (number, text) => number < 0 ? "\u2212" + text(-number) : "+" + text(number);
  const percent = share => (100 * share).toPrecision(3) + " %";

  return {unpacked, middle, slices, knows, totals, groupTotals, found, foundFrames, livesOf, linesAt, growth, flame, path, name, readable, histogram, byClock, spreads, overTime, perSecond, time, timeText,
    amount, duration, age, pause, percent, signed};
})();
if (typeof module !== "undefined") module.exports = cells;
