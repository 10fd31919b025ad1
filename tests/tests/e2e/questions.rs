//! The ten questions of `docs/README.md`, each by its one command, asked of the guide's shop: what is true of the shop stands in the answer.
//!
//! The shop copies pages in `Shop.render`, keeps every product, and leaks into `Shop$Metrics.TIMERS`. Not here: all other commands of the
//! guide (`documented`), and `mvn test` (`junit5`).

use std::fs;
use std::path::Path;
use std::process::Command;

use mayfly_tests::{
    Launch, Outcome, Running, Workspace, any_jvm, artifacts, fixture_classes, shell_words, workspace_root,
};

const PAGE: &str = "docs/README.md";
/// What a reader has, and what that is here.
const HERE: [(&str, &str); 4] = [
    ("mayfly run -- java", "mayfly run -o mayfly-4711.mayfly -- java"),
    ("com.acme.Handler.handle", "shop.Shop.list"),
    ("mayfly leaks 4711", "mayfly leaks 4711 --for 5s"),
    ("mayfly cost --", "mayfly cost --rounds 1 --"),
];
/// Of each question: words of the answer, one of each group.
const TRUE: [(&str, &[&[&str]]); 9] = [
    ("allocates most", &[&["byte[]", "[B"], &["shop.Shop.render", "Shop.render"]]),
    ("lives long", &[&["Longest lived", "old"], &["Shop$Product", "Shop.<init>"]]),
    ("leaks, and who", &[&["TIMERS"], &["leaks", "may leak"]]),
    ("my change help", &[&["In all"], &["-"], &["Shop.render"]]),
    ("survives a request", &[&["Shop.list"], &["survived"]]),
    ("GC busy", &[&["Why it collects ("], &["pauses"], &["garbage of"]]),
    (
        "Which flag",
        &[
            &["Nothing to gain from a flag", "Try -X", "Which flag helps is not known: "],
            &["Try -Xmn", "DecimalFormatSymbols"],
        ],
    ),
    ("fills the heap", &[&["byte[]", "[B"], &["total"]]),
    ("profiling cost", &[&["mayfly run takes", "mayfly run: the difference"], &["without Mayfly"]]),
];

/// (question, command) of the first table.
fn questions() -> Vec<(String, String)> {
    let page = fs::read_to_string(workspace_root().join(PAGE)).expect("the page");
    let table = page.split("\n\n").find(|part| part.starts_with("| question |")).expect("the questions");
    let rows = table.lines().skip(2).map(|row| {
        let mut cells = row.split(" | ").map(|cell| cell.trim_matches(['|', ' ', '`']).to_owned());
        (cells.next().expect("a question"), cells.next().expect("a command"))
    });
    rows.collect()
}

struct Here(Workspace);

impl Here {
    fn new(java: &Path) -> Self {
        let folder = Workspace::new();
        for (to, name) in [(artifacts().cli.as_path(), "mayfly"), (java, "java")] {
            std::os::unix::fs::symlink(to, folder.file(name)).expect("a link");
        }
        Self(folder)
    }

    /// In a shell, with the shop for `app.jar`.
    fn run(&self, command: &str, pid: u32) -> Outcome {
        let mut typed =
            HERE.iter().fold(command.to_owned(), |typed, (theirs, ours)| typed.replace(theirs, ours));
        let classes = shell_words([fixture_classes()]);
        // As much work however busy the machine is, in a heap in which it is collected.
        let flags = "-XX:+UseSerialGC -Xmn4m -Drequests=400";
        typed = typed.replace("-jar app.jar", &format!("{flags} -cp {classes} shop.Shop"));
        // Files keep their names.
        typed = typed.replace(" 4711", &format!(" {pid}"));
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        // Where it stands is the build folder otherwise.
        shell.args(["-c", &format!("cd {} && {typed}", shell_words([self.0.path()]))]);
        shell.env("PATH", format!("{}:{path}", self.0.path().display()));
        Running::of(shell).finish()
    }

    /// What the change is to be compared with.
    fn sides(&self) {
        let run = |side: &str, flag: &str| {
            self.run(&format!("mayfly run -o {side}.mayfly -- java {flag} -jar app.jar"), 0).ok();
        };
        run("old", "-Dfixed=false");
        run("new", "-Dfixed=true");
    }
}

#[test]
fn each_question_of_the_front_page_is_answered_by_its_command() {
    any_jvm(|jvm| {
        let here = Here::new(&jvm.java());
        here.sides();
        let shop = Launch::new(jvm, "shop.Shop").start().when_ready();
        let mut asked = 0;
        for (question, command) in questions() {
            let Some((_, truth)) = TRUE.iter().find(|(words, _)| question.contains(words)) else {
                assert!(command.starts_with("mvn test"), "nothing is known of: {question}");
                continue;
            };
            let Outcome { stdout, stderr, .. } = here.run(&command, shop.pid());
            let mut said = stdout + &stderr;
            if fs::exists(here.0.file("run.html")).unwrap_or(false) {
                said += "run.html";
            }
            for group in *truth {
                let has_one = group.iter().any(|words| said.contains(words));
                assert!(has_one, "on {jvm}: {question}\n{command}\nhas none of {group:?}:\n{said}");
            }
            asked += 1;
        }
        assert_eq!(asked, TRUE.len(), "questions on the front page");
    });
}
