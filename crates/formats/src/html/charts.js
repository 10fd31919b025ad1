// Charts in SVG: bars of lifetimes, survival curves, lanes over time, small bars in a table. Drawn as large as they are shown.
// Not here: what the numbers are (`cells.js`), and what follows a click (`page.js`).
"use strict";
const charts = (() => {
  const SVG = "http://www.w3.org/2000/svg", FOOT = 20, HEAD = 16;
  const shape = (name, attributes, text) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const sized = svg => {
    const [width, height] = [svg.clientWidth || 400, svg.clientHeight || 190];
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    return [width, height];
  };
  const nothing = (svg, why) => {
    const [width, height] = sized(svg);
    svg.replaceChildren(shape("text", {x: width / 2, y: height / 2, "text-anchor": "middle"}, why));
  };

  // Round ages on each clock, by which axes are marked.
  const decades = (units, last) => units.flatMap(unit => [1, 2, 5, 10, 20, 50, 100, 200, 500].map(digit => digit * unit)).filter(age => age <= last);
  const ROUND = {
    ms: [...decades([1], 500), ...[1, 2, 5, 10, 30].map(s => s * 1e3), ...[1, 2, 5, 10, 30].map(m => m * 6e4), ...[1, 2, 5, 10, 24, 100].map(h => h * 36e5)],
    gcs: decades([1, 1e3, 1e6], 5e8),
    bytes: Array.from({length: 50}, (_, power) => 2 ** power),
  };
  // Marks {at, text} of an axis of so many pixels, from most round to least, none near another.
  const marks = (clock, least, most, place, width) => {
    const inside = ROUND[clock].filter(age => age >= least && age <= most), found = [];
    const rank = age => clock === "bytes" ? -Math.log2(age) % 10 === 0 ? 0 : Math.log2(age) % 5 === 0 ? 1 : 2
      : String(age).replace(/0+$/, "") === "1" || [6e4, 6e5, 36e5, 36e6].includes(age) ? 0 : 1;
    for (const age of inside.sort((a, b) => rank(a) - rank(b) || a - b)) {
      const at = place(age);
      if (at > 4 && at < width - 44 && found.every(one => Math.abs(one.at - at) > 58)) found.push({at, text: cells.age(clock, age)});
    }
    return found;
  };
  const axis = (found, height) => found.flatMap(({at, text}) => [
    shape("line", {class: "grid", x1: at.toFixed(1), x2: at.toFixed(1), y1: HEAD, y2: height - FOOT + 3}),
    shape("text", {x: (at + 4).toFixed(1), y: height - 5}, text)]);

  // bars: [{step, from, to, dead, living}] without gaps but behind step 0, who died before a first collection; chosen(bar) when one is clicked, null if none can be.
  const bars = (svg, found, clock, value, chosen) => {
    if (found.length === 0) { nothing(svg, "nothing of this selection"); return; }
    const [width, height] = sized(svg), base = height - FOOT;
    const most = Math.max(1, ...found.map(bar => bar.dead + bar.living)), each = width / found.length;
    const high = amount => (base - HEAD - 4) * amount / most;
    const young = found[0].step === 0 ? 1 : 0, ages = found.slice(young);
    const place = age => (1 + 2 * Math.log2(Math.max(1, age)) - (ages[0]?.step ?? 1) + young) * each;
    const shapes = found.map((bar, i) => {
      const group = shape("g", {}), [dead, living] = [high(bar.dead), high(bar.living)];
      const range = bar.step > 0 ? `alive for ${cells.age(clock, bar.from)} to ${cells.age(clock, bar.to)} for sure`
        : "dead by the first collection" + (bar.atMost ? `, after ${cells.age(clock, bar.atMost)} at most` : "");
      const words = `${range}: ${cells.amount(value, Math.round(bar.dead))} dead, ${cells.amount(value, Math.round(bar.living))} alive`;
      const [x, w] = [(i * each + 0.5).toFixed(1), Math.max(1, each - 1.5).toFixed(1)];
      group.append(shape("title", {}, words), shape("rect", {class: "whole", x: i * each, y: HEAD, width: each, height: base - HEAD}),
        shape("rect", {class: "bar", x, y: (base - dead).toFixed(1), width: w, height: dead.toFixed(1)}),
        shape("rect", {class: "alive", x, y: (base - dead - living).toFixed(1), width: w, height: living.toFixed(1)}));
      if (chosen) {
        group.setAttribute("class", "choice");
        group.addEventListener("click", () => chosen(bar));
      }
      return group;
    });
    const round = ages.length > 0 ? marks(clock, ages[0].from, ages.at(-1).to, place, width).filter(({at}) => !young || at > Math.max(each, 46)) : [];
    const first = young ? [shape("text", {x: 2, y: height - 5}, "1st GC")] : [];
    svg.replaceChildren(...axis(round, height), ...shapes, ...first,
      shape("line", {class: "base", x1: 0, x2: width, y1: base + 0.5, y2: base + 0.5}),
      shape("text", {x: 0, y: 11}, cells.amount(value, Math.round(most)) + " at most"));
  };

  // points: [[share gone, age, at least, at most]].
  const curve = (svg, points, clock) => {
    if (points.length === 0) { nothing(svg, "nothing is known"); return; }
    const [width, height] = sized(svg), base = height - FOOT, log = age => Math.log2(Math.max(0.5, age));
    // As wide as the band: within it, nothing is known.
    const ages = points.flatMap(([, age, low, high]) => [low, age, high ?? age]), [first, last] = [Math.min(...ages), Math.max(...ages)];
    const [least, most] = [log(first), log(last)];
    const place = age => Math.min(width, Math.max(0, width * (log(age) - least) / Math.max(0.1, most - least)));
    const x = age => place(age).toFixed(1), y = gone => (HEAD + 2 + (base - HEAD - 2) * gone).toFixed(1);
    const line = points.map(([gone, age]) => `L${x(age)} ${y(gone)}`).join("");
    const low = points.map(([gone, , low]) => `${x(low)},${y(gone)}`);
    const high = points.map(([gone, age, , high]) => `${x(high ?? age)},${y(gone)}`).reverse();
    const across = [0.25, 0.5, 0.75].map(gone => shape("line", {class: "grid", x1: 0, x2: width, y1: y(gone), y2: y(gone)}));
    const half = points.find(([gone]) => gone === 0.5);
    const dot = half ? [shape("circle", {class: "half", cx: x(half[1]), cy: y(0.5), r: 3.5}),
      shape("text", {class: "strong", x: Math.min(width - 130, place(half[1]) + 8), y: Number(y(0.5)) - 6}, "half: " + cells.age(clock, half[1]))] : [];
    svg.replaceChildren(...axis(marks(clock, first, last, place, width), height), ...across,
      shape("polygon", {class: "band", points: [...low, ...high].join(" ")}), shape("path", {class: "curve", d: `M0 ${y(0)}${line}`}),
      shape("line", {class: "base", x1: 0, x2: width, y1: base + 0.5, y2: base + 0.5}), ...dot,
      shape("text", {x: 0, y: 11}, "100 % alive"));
  };

  // Lanes below each other: {label, most, values: [0 to most]} each, then pauses {at (0 to 1), us, kind, cause, colour, words}.
  const lanes = (svg, areas, pauses, longest, times) => {
    const [width, height] = sized(svg), count = areas.length + 1, each = (height - FOOT) / count;
    const shapes = [];
    areas.forEach(({label, words, most, values}, lane) => {
      const base = (lane + 1) * each - 2, step = width / values.length;
      const high = value => (base - (each - HEAD - 6) * value / Math.max(1, most)).toFixed(1);
      const line = values.map((value, i) => `L${(step * i).toFixed(1)} ${high(value)}H${(step * (i + 1)).toFixed(1)}`).join("");
      shapes.push(shape("path", {class: "area", d: `M0 ${base}${line}V${base}Z`}), shape("line", {class: "base", x1: 0, x2: width, y1: base, y2: base}),
        shape("text", {class: "strong", x: 0, y: lane * each + 12}, label), shape("text", {x: width, y: lane * each + 12, "text-anchor": "end"}, words));
    });
    const base = count * each - 2;
    for (const {at, us, kind, cause, colour, words} of pauses) {
      const high = (each - HEAD - 6) * Math.log1p(us) / Math.log1p(Math.max(1, longest));
      const bar = shape("rect", {class: `pause ${kind}`, x: (width * at).toFixed(1), y: (base - high).toFixed(1), width: 1.5, height: high.toFixed(1)});
      bar.dataset.cause = `${cause} ${kind}`;
      if (colour) bar.style.fill = colour;
      bar.append(shape("title", {}, words));
      shapes.push(bar);
    }
    const ticks = times.flatMap(({at, text}) => [shape("line", {class: "grid", x1: width * at, x2: width * at, y1: 0, y2: height - FOOT + 3}),
      shape("text", {x: width * at + 4, y: height - 5}, text)]);
    svg.replaceChildren(...ticks, ...shapes, shape("line", {class: "base", x1: 0, x2: width, y1: base, y2: base}),
      shape("text", {class: "strong", x: 0, y: (count - 1) * each + 12}, "pauses"),
      shape("text", {x: width, y: (count - 1) * each + 12, "text-anchor": "end"}, pauses.length ? `${cells.pause(longest)} at most` : "none known"));
  };
  const shade = (svg, from, to) => {
    const [width, height] = [svg.clientWidth || 400, svg.clientHeight || 190];
    svg.querySelector(".during")?.remove();
    if (from !== null) svg.prepend(shape("rect", {class: "during", x: width * from, y: 0, width: Math.max(1, width * (to - from)), height: height - FOOT}));
  };

  // A small bar per step.
  const spark = (sums, least, most) => {
    const [width, height] = [96, 16], each = width / (most - least + 1), top = Math.max(...sums.filter(Boolean));
    const line = Array.from({length: most - least + 1}, (_, i) => {
      const high = height * (sums[least + i] ?? 0) / top;
      return high > 0 ? `M${(i * each).toFixed(1)} ${height}v${-Math.max(1, high).toFixed(1)}h${Math.max(1, each - 0.6).toFixed(1)}V${height}z` : "";
    });
    const svg = shape("svg", {class: "spark", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true"});
    svg.append(shape("path", {d: line.join("")}));
    return svg;
  };

  return {bars, curve, lanes, shade, spark};
})();
