//! The ten questions of `docs/README.md`, each by its one command, asked of the guide's shop: what is true of the shop stands in the answer.
//!
//! The shop copies pages in `Shop.render`, keeps every product, and leaks into `Shop$Metrics.TIMERS`. Not here: all other commands of the
//! guide (`documented`), `mvn test` (`junit5`), and services that others wrote (`services`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayfly_tests::{
    Jvm, Launch, Outcome, Running, Workspace, any_jvm, artifacts, fixture_classes, shell_words,
    workspace_root,
};

const PAGE: &str = "docs/README.md";
/// What a reader has, and what that is here.
const HERE: [(&str, &str); 3] = [
    ("mayfly run -- java", "mayfly run -o mayfly-4711.mayfly -- java"),
    ("mayfly leaks 4711", "mayfly leaks 4711 --for 5s"),
    ("mayfly cost --", "mayfly cost --rounds 1 --"),
];

/// Of each question: words of the answer, one of each group.
pub(crate) type Truth<'t> = [(&'t str, &'t [&'t [&'t str]]); 9];

/// The program that questions are asked of.
pub(crate) struct Subject<'s> {
    /// Flags, class path and main class.
    pub(crate) program: String,
    /// What a request is.
    pub(crate) request: &'s str,
    pub(crate) truth: &'s Truth<'s>,
}

const TRUE: Truth<'_> = [
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
    (
        "profiling cost",
        &[&["mayfly run took", "mayfly run takes", "mayfly run: the difference"], &["without Mayfly"]],
    ),
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

/// A folder with both commands in it.
pub(crate) struct Here<'s> {
    folder: Workspace,
    subject: &'s Subject<'s>,
}

impl<'s> Here<'s> {
    pub(crate) fn new(java: &Path, subject: &'s Subject<'s>) -> Self {
        let folder = Workspace::new();
        for (to, name) in [(artifacts().cli.as_path(), "mayfly"), (java, "java")] {
            std::os::unix::fs::symlink(to, folder.file(name)).expect("a link");
        }
        Self { folder, subject }
    }

    /// A file of the folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.file(name)
    }

    /// A command that is begun in a shell.
    pub(crate) fn begin(&self, command: &str) -> Running {
        let typed = command.replace("-jar app.jar", &self.subject.program);
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        // Where it stands is the build folder otherwise.
        shell.args(["-c", &format!("cd {} && {typed}", shell_words([self.folder.path()]))]);
        shell.env("PATH", format!("{}:{path}", self.folder.path().display()));
        Running::of(shell)
    }

    /// Of such a process.
    pub(crate) fn run(&self, command: &str, pid: u32) -> Outcome {
        let mut typed =
            HERE.iter().fold(command.to_owned(), |typed, (theirs, ours)| typed.replace(theirs, ours));
        typed = typed.replace("com.acme.Handler.handle", self.subject.request);
        // Files keep their names.
        self.begin(&typed.replace(" 4711", &format!(" {pid}"))).finish()
    }

    /// What the change is to be compared with.
    fn sides(&self) {
        let run = |side: &str, flag: &str| {
            self.run(&format!("mayfly run -o {side}.mayfly -- java {flag} -jar app.jar"), 0).ok();
        };
        run("old", "-Dfixed=false");
        run("new", "-Dfixed=true");
    }

    /// Asks each question of the front page, those of a running JVM of `pid`; the answers by question.
    pub(crate) fn ask(&self, jvm: &Jvm, pid: u32) -> Vec<(String, String)> {
        self.sides();
        let truth = self.subject.truth;
        let mut answers = Vec::new();
        for (question, command) in questions() {
            let Some((_, truth)) = truth.iter().find(|(words, _)| question.contains(words)) else {
                assert!(command.starts_with("mvn test"), "nothing is known of: {question}");
                continue;
            };
            let Outcome { stdout, stderr, .. } = self.run(&command, pid);
            let mut answer = stdout + &stderr;
            if fs::exists(self.folder.file("run.html")).unwrap_or(false) {
                answer += "run.html";
            }
            for group in *truth {
                let has_one = group.iter().any(|words| answer.contains(words));
                assert!(has_one, "on {jvm}: {question}\n{command}\nhas none of {group:?}:\n{answer}");
            }
            answers.push((question, answer));
        }
        assert_eq!(answers.len(), truth.len(), "questions on the front page");
        answers
    }
}

#[test]
fn each_question_of_the_front_page_is_answered_by_its_command() {
    any_jvm(|jvm| {
        // As much work however busy the machine is, in a heap in which it is collected.
        let flags = "-XX:+UseSerialGC -Xmn4m -Drequests=400";
        let program = format!("{flags} -cp {} shop.Shop", shell_words([fixture_classes()]));
        let subject = Subject { program, request: "shop.Shop.list", truth: &TRUE };
        let shop = Launch::new(jvm, "shop.Shop").start().when_ready();
        Here::new(&jvm.java(), &subject).ask(jvm, shop.pid());
    });
}
