// Folds frames that are not the program's own: of the JDK's frames one after the other the first that is called is kept. What is
// folded is data again, for `cells`. No document: tested by itself (node).
// data.kinds: of each frame 0: the program's own or a library's, 1: the JDK's, 2: a framework's, 3: no code, but the name of a thread or a class loader.
"use strict";
const folds = (() => {
  const KINDS = {all: [], jdk: [1], frameworks: [1, 2]};

  // The same data with a tree in which frames of these kinds are folded into the first of them that is called.
  const folded = (data, kinds) => {
    const {up, frame} = data.tree, lines = data.tree.lines ?? [];
    const isFolded = frame => frame >= 0 && kinds.includes(data.kinds[frame]);
    // Of each node which one it is now; nodes stand behind those above them.
    const now = new Int32Array(up.length + 1), known = new Map(), tree = {up: [], frame: [], lines: []};
    for (let node = 1; node <= up.length; node++) {
      const before = node - up[node - 1], above = now[before], one = frame[node - 1];
      if (isFolded(one) && before > 0 && isFolded(frame[before - 1])) { now[node] = above; continue; }
      const key = above + " " + one;
      if (!known.has(key)) {
        tree.frame.push(one);
        tree.up.push(tree.frame.length - above);
        tree.lines.push([]);
        known.set(key, tree.frame.length);
      }
      now[node] = known.get(key);
      const met = tree.lines[now[node] - 1];
      for (const line of lines[node - 1] ?? []) if (!met.includes(line)) met.push(line);
    }
    return {...data, tree, cells: data.cells.map(([node, ...rest]) => [now[node], ...rest])};
  };

  // Kept: the page asks for the same again and again.
  const kept = new Map();
  const of = (data, mode) => {
    const kinds = KINDS[mode] ?? [];
    if (kinds.length === 0 || !data.kinds?.some(kind => kinds.includes(kind))) return data;
    if (!kept.has(mode)) kept.set(mode, folded(data, kinds));
    return kept.get(mode);
  };
  // The ways of folding that change anything.
  const modes = data => [["all", "all frames"], ["jdk", "JDK frames folded"], ["frameworks", "JDK and frameworks folded"]]
    .filter(([mode]) => mode === "all" || data.kinds?.includes(KINDS[mode].at(-1)));

  return {folded, of, modes};
})();
if (typeof module !== "undefined") module.exports = folds;
