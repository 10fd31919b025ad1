//! The text of `#help`, made from the table. Prints nothing itself.

use super::spec::Spec;
use super::table::specs;

const WIDTH: usize = 80;
const INDENT: &str = "      ";
const HEAD: &str = "\
Mayfly agent options: java -agentpath:libmayfly.so=#OPTION#OPTION-VALUE...
Quote the whole for the shell. The last of a repeated option counts. Class names
are spelled as Class.getName() does: [B, [Ljava.lang.Object;, a.b.Outer$Inner.
";

/// Every option with its form, meaning and an example, at most 80 columns wide, ending in a newline.
pub fn help() -> String {
    let mut text = HEAD.to_owned();
    for spec in specs() {
        text.push_str(&entry(spec));
    }
    text
}

fn entry(spec: &Spec) -> String {
    let wrap = textwrap::Options::new(WIDTH).initial_indent(INDENT).subsequent_indent(INDENT);
    let example = if spec.example.contains('-') { format!(" E.g. {}", spec.example) } else { String::new() };
    format!("\n  {}\n{}\n", spec.form(), textwrap::fill(&format!("{}{example}", spec.help), wrap))
}
