//! Pictures of our own drawing, for a README or a pull request: a flame graph, and how long objects lived.
//!
//! Nothing in them moves, and nothing is fetched; what a rectangle is stands in its title. Not here: the page, in which one can
//! select (`html`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use mayfly_profile::{LifeSpan, Profile, Tally, Value};
use mayfly_report::{count, duration, size};

use crate::choice::Choice;
use crate::spelling::path;

const WIDTH: f64 = 1_200.0;
const ROW: f64 = 17.0;
/// Columns of one letter.
const LETTER: f64 = 6.6;
/// Rectangles that are narrower are left out.
const LEAST: f64 = 0.4;
const HEAD: f64 = 28.0;
/// Height of the bars.
const BARS: f64 = 260.0;

/// Rectangles of stacks, the outermost frame below, the class on top.
pub(crate) fn flame(profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let mut tree = Tree::default();
    for cell in profile.cells() {
        let amount = cell.amounts.of(choice.value);
        if amount > 0 {
            tree.add(path(cell.stack, cell.class, choice.lines), amount);
        }
    }
    let all = tree.nodes[0].amount;
    let mut drawing = Flame { shapes: String::new(), all: all.max(1), choice, depth: tree.depth() };
    drawing.draw(&tree);
    let height = HEAD + ROW * (drawing.depth + 1) as f64;
    let title = format!("{} by stack: {}", choice.value.name(), amount(choice.value, all));
    picture(out, &title, height, &drawing.shapes)
}

/// Frames under frames, without recursion: stacks may be deep. The first is above all.
struct Tree {
    nodes: Vec<Node>,
}

#[derive(Default)]
struct Node {
    amount: u64,
    depth: usize,
    /// Places by name.
    children: BTreeMap<String, usize>,
}

impl Default for Tree {
    fn default() -> Self {
        Self { nodes: vec![Node::default()] }
    }
}

impl Tree {
    fn add(&mut self, path: Vec<String>, amount: u64) {
        let mut at = 0;
        self.nodes[at].amount += amount;
        for name in path {
            at = self.child(at, name);
            self.nodes[at].amount += amount;
        }
    }

    fn child(&mut self, of: usize, name: String) -> usize {
        let (next, depth) = (self.nodes.len(), self.nodes[of].depth + 1);
        let at = *self.nodes[of].children.entry(name).or_insert(next);
        if at == next {
            self.nodes.push(Node { depth, ..Node::default() });
        }
        at
    }

    /// Frames of the deepest stack.
    fn depth(&self) -> usize {
        self.nodes.iter().map(|node| node.depth).max().unwrap_or(0)
    }
}

struct Flame<'a> {
    shapes: String,
    all: u64,
    choice: &'a Choice,
    depth: usize,
}

impl Flame<'_> {
    fn draw(&mut self, tree: &Tree) {
        let mut left = vec![("all", 0, 0.0)];
        while let Some((name, at, from)) = left.pop() {
            let node = &tree.nodes[at];
            let width = node.amount as f64 / self.all as f64 * WIDTH;
            if width < LEAST {
                continue;
            }
            self.rectangle(name, node, (from, width));
            let mut x = from;
            for (name, &child) in &node.children {
                left.push((name, child, x));
                x += tree.nodes[child].amount as f64 / self.all as f64 * WIDTH;
            }
        }
    }

    fn rectangle(&mut self, name: &str, node: &Node, (x, width): (f64, f64)) {
        let y = HEAD + ROW * (self.depth - node.depth) as f64;
        let share = 100.0 * node.amount as f64 / self.all as f64;
        let title = format!("{name}: {}, {share:.2} %", amount(self.choice.value, node.amount));
        let _ = write!(
            self.shapes,
            "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
            escaped(&title),
            (width - 0.3).max(0.2),
            ROW - 1.0,
            colour(name)
        );
        let letters = (width / LETTER) as usize;
        if letters > 4 {
            let text = mayfly_report::shorten(name, letters - 1, "..");
            let _ = write!(
                self.shapes,
                "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + 3.0,
                y + 12.5,
                escaped(&text)
            );
        }
        self.shapes.push_str("</g>\n");
    }
}

/// Bars of how long objects lived, on steps of 1, 2 and 5; the living so far on top of the dead.
pub(crate) fn lifetimes(profile: &Profile, choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let mut bars: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
    for (life, amount) in by_life(profile, choice.value) {
        let bar = bars.entry(step(life.after_ms)).or_default();
        bar[usize::from(life.by_ms.is_none())] += amount;
    }
    let most = bars.values().map(|bar| bar[0] + bar[1]).max().unwrap_or(0).max(1) as f64;
    let steps = steps_between(bars.keys().next().copied(), bars.keys().last().copied());
    let width = WIDTH / steps.len().max(1) as f64;
    let mut shapes = String::new();
    for (at, from) in steps.iter().enumerate() {
        let [dead, living] = bars.get(from).copied().unwrap_or_default();
        let to = next_step(*from);
        let (dead_height, living_height) = (dead as f64 / most * BARS, living as f64 / most * BARS);
        let (x, base) = (at as f64 * width, HEAD + BARS);
        let title = format!(
            "{} to {}: {} dead, {} alive",
            duration(*from as f64),
            duration(to as f64),
            amount(choice.value, dead),
            amount(choice.value, living)
        );
        let _ = write!(shapes, "<g><title>{}</title>", escaped(&title));
        for (class, y, height) in [
            ("dead", base - dead_height, dead_height),
            ("alive", base - dead_height - living_height, living_height),
        ] {
            let _ = write!(
                shapes,
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>",
                (width - 2.0).max(1.0)
            );
        }
        let _ = writeln!(
            shapes,
            "<text x=\"{x:.1}\" y=\"{:.1}\">{}</text></g>",
            base + 14.0,
            duration(*from as f64)
        );
    }
    let title = format!("{} by lifetime; light: alive so far", choice.value.name());
    picture(out, &title, HEAD + BARS + 20.0, &shapes)
}

/// A value by length of life, with the lengths that classes have.
fn by_life(profile: &Profile, value: Value) -> Vec<(LifeSpan, u64)> {
    if matches!(value, Value::DiedYoung | Value::Survived | Value::OptimisedAway) {
        // Known by collections: of a length only as far as a cell is divided.
        let parts = profile.life_parts().into_iter().flat_map(|(_, parts)| parts);
        return parts.filter_map(|part| Some((part.life?, part.amounts.of(value)))).collect();
    }
    let worth = |life: LifeSpan, tally: Tally| match value {
        Value::Live | Value::LiveObjects if life.by_ms.is_some() => 0,
        Value::Objects | Value::LiveObjects => tally.objects,
        Value::ByteSeconds => (tally.bytes as f64 * life.middle_ms() as f64 / 1_000.0).round() as u64,
        _ => tally.bytes,
    };
    let lives = profile.cell_lives().into_iter().flat_map(|cell| cell.lives);
    lives.map(|(life, tally)| (life, worth(life, tally))).collect()
}

/// The largest of 0, 1, 2, 5, 10, 20, … up to a time.
fn step(ms: u64) -> u64 {
    steps_from(0).take_while(|&step| step <= ms).last().unwrap_or(0)
}

/// That step and all larger ones.
fn steps_from(first: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(first), |&step| Some(next_step(step)).filter(|&next| next > step))
}

fn next_step(step: u64) -> u64 {
    let unit = 10u64.pow(step.max(1).ilog10());
    match step / unit {
        0 => 1,
        1 => unit.saturating_mul(2),
        2..5 => unit.saturating_mul(5),
        _ => unit.saturating_mul(10),
    }
}

fn steps_between(first: Option<u64>, last: Option<u64>) -> Vec<u64> {
    let Some((first, last)) = first.zip(last) else { return Vec::new() };
    steps_from(first).take_while(|&step| step <= last).collect()
}

fn picture(out: &mut dyn Write, title: &str, height: f64, shapes: &str) -> io::Result<()> {
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n\
         <title>{title}</title>\n\
         <style>svg {{ background: #fff; font: 11px system-ui, sans-serif }} text {{ fill: #222; pointer-events: none }} .dead {{ fill: #3467a8 }} .alive {{ fill: #a9c4e6 }}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"4\" y=\"18\" font-size=\"14\">{title}</text>\n{shapes}</svg>",
        title = escaped(title)
    )
}

fn amount(value: Value, amount: u64) -> String {
    match value.unit() {
        "objects" => format!("{} objects", count(amount)),
        "byte-seconds" => format!("{} s", size(amount)),
        _ => size(amount),
    }
}

/// One colour per package.
fn colour(name: &str) -> String {
    let package = name.rfind('.').and_then(|dot| name[..dot].rfind('.')).map_or(name, |dot| &name[..dot]);
    let hash = package.bytes().fold(0u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    format!("hsl({},45%,76%)", hash % 360)
}

fn escaped(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().map(plain).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_put_on_steps() {
        assert_eq!(
            [0, 1, 2, 4, 5, 9, 10, 99, 1_999, 2_000].map(step),
            [0, 1, 2, 2, 5, 5, 10, 50, 1_000, 2_000]
        );
        assert_eq!(steps_between(Some(5), Some(100)), [5, 10, 20, 50, 100]);
        assert_eq!(steps_between(None, None), [0; 0]);
        assert_eq!(steps_between(Some(step(u64::MAX)), Some(u64::MAX)), [u64::MAX]);
    }

    #[test]
    fn names_are_text() {
        assert_eq!(escaped("a<b>&\"c\"\n"), "a&lt;b&gt;&amp;&quot;c&quot; ");
    }

    #[test]
    fn a_deep_stack_is_added_up_without_recursion() {
        let mut tree = Tree::default();
        let path: Vec<String> = (0..50_000).map(|depth| format!("f{depth}")).collect();
        tree.add(path.clone(), 7);
        tree.add(path[..2].to_vec(), 1);
        assert_eq!((tree.depth(), tree.nodes.len()), (50_000, 50_001));
        assert_eq!([0, 2, 3, 50_000].map(|at| tree.nodes[at].amount), [8, 8, 7, 7]);
    }
}
