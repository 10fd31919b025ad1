// How many of a selection outlive an age. No document: tested by itself (node).
// Not here: curves of whole classes with their 95 % bands, which the page has (`document.rs`).
"use strict";
const lives = (() => {
  // Shares gone that curves have points at.
  const SHARES = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

  // When shares of the objects are gone, if the dead died at such ages: [[age, objects, whether dead]]. The living are censored at theirs
  // (Kaplan and Meier).
  const gone = ages => {
    ages.sort((a, b) => a[0] - b[0] || b[2] - a[2]);
    let left = ages.reduce((sum, [, objects]) => sum + objects, 0), alive = 1;
    const found = [];
    for (const [age, objects, isDead] of ages) {
      if (isDead) alive *= 1 - objects / left;
      left -= objects;
      while (found.length < SHARES.length && 1 - alive >= SHARES[found.length] - 1e-12) found.push(age);
    }
    return found;
  };

  // Points [share gone, by which age, at least, at most] of these lives [span, objects]: each died between two collections.
  const curve = (spans, lives) => {
    const at = of => gone(lives.map(([span, objects]) => [of(...spans[span]), objects, spans[span][1] !== null]));
    const [low, middle, high] = [after => after, (after, by) => by === null ? after : (after + by) / 2, (after, by) => by ?? after].map(at);
    return middle.map((age, i) => [SHARES[i], age, Math.min(age, low[i] ?? age), high[i] === undefined ? null : Math.max(age, high[i])]);
  };
  return {curve};
})();
if (typeof module !== "undefined") module.exports = lives;
