// The table of requests whose objects are still there: searched by id, class or maker. A row chooses its trace for all else, and shows its stack.
// Not here: what else follows from the choice (`page.js`), and adding up (`cells.js`).
"use strict";
const traceTable = ({traces, amount, chosen}) => {
  const by = id => document.getElementById(id), make = (name, properties) => Object.assign(document.createElement(name), properties);
  // The row whose stack is shown, and the trace that is chosen.
  let open = null, trace = null;
  const rows = traces?.rows ?? [], lower = rows.map(row => row.texts.join(" ").toLowerCase());
  const found = () => { const find = by("trace-find").value.trim().toLowerCase(); return rows.map((_, at) => at).filter(at => lower[at].includes(find)); };

  const line = at => {
    const line = make("tr", {tabIndex: 0}), row = rows[at];
    Object.assign(line.dataset, {row: at, trace: row.trace, bytes: row.bytes, objects: row.objects});
    line.setAttribute("aria-selected", String(row.trace === trace));
    line.append(...row.texts.map(textContent => make("td", {textContent})));
    return line;
  };
  const stack = at => {
    const frames = traces.stacks[rows[at].stack], cell = make("td", {colSpan: traces.columns.length}), list = make("ol");
    list.append(...frames.map(textContent => make("li", {textContent})));
    cell.append(frames.length > 0 ? list : "No stack was taken (?).");
    const line = make("tr", {className: "stack"});
    line.append(cell);
    return line;
  };
  const draw = now => {
    trace = now;
    if (trace === null || rows[open]?.trace !== trace) open = null;
    const shown = found(), sum = of => shown.reduce((sum, at) => sum + rows[at][of], 0);
    by("trace-rows").replaceChildren(...shown.flatMap(at => at === open ? [line(at), stack(at)] : [line(at)]));
    const of = new Set(shown.map(at => rows[at].trace)).size;
    Object.assign(by("trace-sum").dataset, {bytes: sum("bytes"), objects: sum("objects")});
    by("trace-sum").textContent = shown.length === 0 ? "No row has it." : `${shown.length} of ${rows.length} rows, ${of} ${of === 1 ? "trace" : "traces"}: `
      + `${amount("live", sum("bytes"))} in ${amount("live-objects", sum("objects"))} objects`;
  };
  // A row that is open is closed, and its trace is chosen no more.
  const act = target => {
    const line = target.closest("tr[data-row]");
    if (line === null) return;
    const at = Number(line.dataset.row), isOpen = at === open;
    open = isOpen ? null : at;
    chosen(isOpen ? null : rows[at].trace);
  };

  by("traces").hidden = rows.length === 0 && !traces?.notes.length;
  by("trace-notes").replaceChildren(...(traces?.notes ?? []).map(textContent => make("p", {textContent})));
  by("trace-heads").append(...(traces?.columns ?? []).map(textContent => make("th", {scope: "col", textContent})));
  by("trace-rows").addEventListener("click", event => act(event.target));
  by("trace-rows").addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(event.target); } });
  return {draw, has: id => rows.some(row => row.trace === id)};
};
