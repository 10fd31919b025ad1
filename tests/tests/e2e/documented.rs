//! Every command of README and of the guide, as a reader types it: in a shell, in a folder that holds the files it names, beside
//! the JVM that it names.
//!
//! A block that can't be run here says why in the line before it, `<!-- not run: … -->`, and so does the test. Times are
//! shortened. Not here: whether what commands answer is right, which tests of their own say; what only looks like a command.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayfly_tests::{
    Jvm, Launch, Outcome, Running, Terminal, Workspace, artifacts, fixture_classes, jdks, jvms, shell_words,
    skip, workspace_root,
};

/// The process of the examples, and who that is here.
const PID: &str = "4711";
const WAITING: &str = "org.example.Main";
/// What examples take long for, and what takes no time here.
const SHORTER: [(&str, &str); 9] = [
    ("shop.jar 6", "shop.jar 1"),
    ("--for 60s", "--for 1s"),
    ("--for 10m", "--for 1s"),
    ("--during 10s..60s", "--during 0s..60s"),
    ("mayfly demo", "mayfly demo --seconds 1"),
    ("--seconds 1 --seconds 4", "--seconds 1"),
    ("mayfly leaks 4711 --step", "yes '' | mayfly leaks 4711 --step"),
    // By default dumps are taken over half a minute.
    ("mayfly leaks 4711\n", "mayfly leaks 4711 --for 1s\n"),
    ("mayfly advise 4711\n", "mayfly advise 4711 --for 1s\n"),
];

/// Commands of one block, each of which may need those before it.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    document: String,
    commands: Vec<String>,
    /// Why it is not run.
    reason: Option<String>,
}

/// The blocks of commands in a document: in a fence of `console`, each line after a `$`, or set in by four blanks.
fn blocks(document: &str, text: &str) -> Vec<Block> {
    let (mut blocks, mut reason) = (Vec::new(), None);
    let mut lines = text.lines().peekable();
    let mut after_blank = true;
    while let Some(line) = lines.next() {
        let is_set_in = after_blank && line.starts_with("    ");
        if line.trim_start().starts_with("```") {
            let inside: Vec<_> = lines.by_ref().take_while(|line| line.trim() != "```").collect();
            if line.trim() == "```console" {
                let command = |line: &&str| line.trim().strip_prefix("$ ").expect("a command").to_owned();
                let commands = inside.iter().map(command).collect();
                blocks.push(Block { document: document.to_owned(), commands, reason: reason.take() });
            }
        } else if is_set_in {
            let mut inside = line.trim().to_owned();
            while let Some(line) = lines.next_if(|line| line.starts_with("    ")) {
                inside = format!("{inside}\n{}", line.trim());
            }
            // A line that ends so goes on.
            let inside = inside.replace("\\\n", "");
            let commands: Vec<_> = inside.lines().map(str::to_owned).collect();
            // Options of the agent are no commands.
            if !commands.iter().all(|line| line.starts_with('#')) {
                blocks.push(Block { document: document.to_owned(), commands, reason: reason.take() });
            }
        }
        after_blank = line.trim().is_empty();
        if !after_blank {
            let note = line.strip_prefix("<!-- not run: ").and_then(|rest| rest.strip_suffix(" -->"));
            reason = note.map(str::to_owned);
        }
    }
    blocks
}

/// README, and all pages of the guide.
fn documents() -> Vec<(String, String)> {
    let mut open = vec![workspace_root().join("docs/guide")];
    let mut found = vec![workspace_root().join("README.md")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("the guide").flatten() {
            if entry.path().is_dir() {
                open.push(entry.path());
            } else if entry.path().extension().is_some_and(|extension| extension == "md") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    let name = |path: &Path| path.strip_prefix(workspace_root()).expect("ours").display().to_string();
    found.iter().map(|path| (name(path), fs::read_to_string(path).expect("a page"))).collect()
}

/// What the examples name: programs on the path, and files.
struct Surroundings {
    folder: Workspace,
    jvm: Jvm,
    /// Commands that were run.
    seen: RefCell<HashSet<String>>,
}

impl Surroundings {
    fn new(jvm: &Jvm) -> Self {
        let here = Self { folder: Workspace::new(), jvm: jvm.clone(), seen: RefCell::default() };
        for folder in ["bin", "files", "files/fixtures", "blocks"] {
            fs::create_dir(here.folder.file(folder)).expect("a folder");
        }
        link(&artifacts().cli, &here.folder.file("bin/mayfly"));
        link(&jvm.java(), &here.folder.file("bin/java"));
        link(fixture_classes(), &here.file("classes"));
        // What a JDK has beside.
        for tool in ["javac", "jar"] {
            link(&jdks(11)[0].home.join("bin").join(tool), &here.folder.file("bin").join(tool));
        }
        link(&workspace_root().join("fixtures/shop"), &here.file("fixtures/shop"));
        here.jar("app.jar", "com.example.Main");
        here.jar("shop.jar", "shop.Shop");
        here.recordings();
        here.dumps();
        here
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.file("files").join(name)
    }

    fn copies(&self, of: &str, names: &[&str]) {
        names.iter().for_each(|name| fs::hard_link(self.file(of), self.file(name)).expect("a link"));
    }

    /// One all of whose classes are elsewhere.
    fn jar(&self, name: &str, main: &str) {
        let manifest = self.folder.file("manifest");
        let classes = format!("Main-Class: {main}\nClass-Path: {}/\n", fixture_classes().display());
        fs::write(&manifest, wrapped(&classes)).expect("a file");
        let jdk = &jdks(11)[0];
        let mut jar = Command::new(jdk.home.join("bin/jar"));
        jar.arg("cfm").arg(self.file(name)).arg(manifest);
        Running::of(jar).finish().ok();
    }

    fn recordings(&self) {
        let words = "run -o mayfly-4711.mayfly --every-object --agent-options '#trace' \
                     -- java -XX:+UseSerialGC -Xmn1m -Xlog:gc*:file=gc.log -jar app.jar";
        self.in_shell(&self.folder.file("files"), &format!("mayfly {words}")).ok();
        self.in_shell(&self.folder.file("files"), "mayfly check --write budget.toml mayfly-4711.mayfly").ok();
        let others = ["old.mayfly", "new.mayfly", "shop.mayfly", "fixed.mayfly", "before.mayfly"];
        self.copies("mayfly-4711.mayfly", &others);
        for side in ["old", "new"] {
            self.copies(
                "mayfly-4711.mayfly",
                &[1, 2, 3].map(|number| format!("{side}-{number}.mayfly")).each_ref().map(String::as_str),
            );
        }
    }

    fn dumps(&self) {
        let program = self.waiting(false);
        let command = |words: &str| {
            let words = words.replace(PID, &program.pid().to_string());
            self.in_shell(&self.folder.file("files"), &format!("mayfly heap {words}")).ok();
        };
        command("dump 4711 app.hprof --quiet");
        command("4711 --output before.txt");
        command("dump 4711 app.mayheap --quiet");
        command("convert app.mayheap app.xml");
        let dumps =
            ["before.hprof", "after.hprof", "first.hprof", "second.hprof", "third.hprof", "fourth.hprof"];
        self.copies("app.hprof", &dumps);
        self.copies("app.mayheap", &["before.mayheap", "after.mayheap"]);
        fs::create_dir(self.file("logs")).expect("a folder");
        self.copies("before.txt", &["logs/heapsummary.20261121175013", "logs/heapsummary.20261121181013"]);
        self.copies("before.txt", &["after.txt", "monday.txt", "tuesday.txt", "wednesday.txt"]);
    }

    /// The JVM that the examples call by number or name.
    fn waiting(&self, with_agent: bool) -> Running {
        let launch = Launch::new(&self.jvm, WAITING);
        let launch = if with_agent { launch.agent("#trackcollections#trace") } else { launch };
        launch.start().when_ready()
    }

    /// Runs the commands of a block one after the other, in a folder of its own. What went wrong.
    fn run(&self, block: &Block, number: usize) -> Vec<String> {
        let folder = self.folder.file("blocks").join(number.to_string());
        fs::create_dir(&folder).expect("a folder");
        for entry in fs::read_dir(self.folder.file("files")).expect("files").flatten() {
            link_hard(&entry.path(), &folder.join(entry.file_name()));
        }
        let about = |command: &&String| command.contains(&format!(" {PID}")) || command.contains(WAITING);
        let program = block.commands.iter().find(about).map(|first| self.waiting(needs_agent(first)));
        let mut wrong = Vec::new();
        for command in block.commands.iter().map(|command| without_comment(command)) {
            if !self.is_new(command) {
                continue;
            }
            if let Some(written) = heap_file(command) {
                // None is written over.
                let _ = fs::remove_file(folder.join(written));
            }
            let typed = self.typed(command, program.as_ref().map_or(0, Running::pid), &folder);
            if let Err(why) = self.obeyed(&folder, &typed) {
                wrong.push(format!("{}: {command}\n(as {typed})\n{why}", block.document));
            }
        }
        wrong
    }

    /// The command with what is here in place of what a reader has.
    fn typed(&self, command: &str, pid: u32, folder: &Path) -> String {
        let mut typed = format!("{}\n", command.replace("target/release/mayfly", "mayfly"));
        for (longer, shorter) in SHORTER {
            typed = typed.replace(longer, shorter);
        }
        let java = self.jvm.home.display().to_string();
        let recording = format!("mayfly-{PID}.mayfly");
        // The file keeps its name.
        let typed = typed.replace(&recording, "\0").replace(PID, &pid.to_string()).replace('\0', &recording);
        let typed = typed.replace("/usr/lib/jvm/default-java", &java);
        let agent = format!("-agentpath:{}", artifacts().agent.display());
        let typed = ["/path/to/", "target/release/", ""]
            .iter()
            .fold(typed, |typed, folder| typed.replace(&format!("-agentpath:{folder}libmayfly.so"), &agent));
        let typed = typed.replace("/var/tmp/", &format!("{}/", folder.display()));
        self.with_objects(typed.trim_end(), folder)
    }

    /// `CLASS@1f` is an object of that class; here, the first one that the dump has.
    fn with_objects(&self, command: &str, folder: &Path) -> String {
        let Some((before, after)) = command.split_once("@1f") else { return command.to_owned() };
        let class = before.rsplit(' ').next().expect("a class");
        let dump = before.split(' ').find(|word| word.starts_with("app.")).expect("a dump");
        let listed =
            self.in_shell(folder, &format!("mayfly heap instances {dump} {class} --limit 1")).ok().stdout;
        let start = format!("{class}@");
        let object = listed.split_whitespace().find(|word| word.starts_with(&start)).expect("an object");
        format!("{}{object}{after}", before.strip_suffix(class).expect("at its end"))
    }

    /// Whether it stands here for the first time, and is not what was done before all others.
    fn is_new(&self, command: &str) -> bool {
        let typed = command.replace("target/release/mayfly", "mayfly");
        typed != "cargo build --release" && self.seen.borrow_mut().insert(typed)
    }

    /// Whether a command does what it should, by its exit code.
    fn obeyed(&self, folder: &Path, command: &str) -> Result<(), String> {
        if command.starts_with("mayfly live") || command.contains("--live-view") {
            return self.watched(folder, command);
        }
        let Outcome { stdout, stderr, status } = self.in_shell(folder, command);
        let code = status.code();
        let is_misused = stderr.contains("Usage: ");
        if !is_misused && code.is_some_and(|code| verdicts(command).contains(&code)) {
            return Ok(());
        }
        Err(format!("{status}\n{stdout}{stderr}"))
    }

    /// A view is left when it is seen.
    fn watched(&self, folder: &Path, command: &str) -> Result<(), String> {
        let path = format!("cd {} && PATH={}", quoted(folder), self.path());
        let Some(terminal) = Terminal::run(100, 30, &format!("{path} {command}")) else { return Ok(()) };
        terminal.wait_until("a view", |text| text.contains("trust: "));
        terminal.type_keys(&["q"]);
        terminal.finish();
        Ok(())
    }

    fn in_shell(&self, folder: &Path, command: &str) -> Outcome {
        let mut shell = Command::new("sh");
        // Where it stands is the build folder otherwise.
        shell.args(["-c", &format!("cd {} && {command}", quoted(folder))]).env("PATH", self.path());
        Running::of(shell).finish()
    }

    fn path(&self) -> String {
        let path = std::env::var("PATH").unwrap_or_default();
        format!("{}:{path}", self.folder.file("bin").display())
    }
}

fn without_comment(command: &str) -> &str {
    command.split_once(" # ").map_or(command, |(command, _)| command).trim_end()
}

/// Exit codes that are an answer.
fn verdicts(command: &str) -> &'static [i32] {
    let says = |word: &str| command.contains(&format!("mayfly {word} "));
    match () {
        // 2: it can't be told.
        () if says("leaks") || says("check") || command.contains(" --budget ") => &[0, 1, 2],
        () if says("diff") => &[0, 1],
        () if says("advise") => &[0, 2],
        // The classes of the examples are in no recording here.
        () if says("report") && command.contains("clude") => &[0, 2],
        () => &[0],
    }
}

/// The file that a command writes of a heap.
fn heap_file(command: &str) -> Option<&str> {
    let words: Vec<_> = command.trim_start_matches("target/release/").split(' ').collect();
    match words[..] {
        ["mayfly", "heap", "dump" | "convert", _, file, ..] => Some(file),
        ["mayfly", "heap", .., "--output" | "--html", file] => Some(file),
        _ => None,
    }
}

/// Whether the JVM has the agent before the first command about it.
fn needs_agent(command: &str) -> bool {
    let loads = ["start", "record", "attach", "advise", "leaks", "heap"];
    !loads.iter().any(|word| command.contains(&format!("mayfly {word} ")))
}

/// Lines of a manifest are at most 72 bytes long; what follows a blank goes on.
fn wrapped(manifest: &str) -> String {
    let line = |line: &str| {
        let pieces: Vec<_> = line.as_bytes().chunks(70).map(String::from_utf8_lossy).collect();
        pieces.join("\n ")
    };
    manifest.lines().map(|text| line(text) + "\n").collect()
}

fn quoted(path: &Path) -> String {
    shell_words([path])
}

fn link(to: &Path, from: &Path) {
    std::os::unix::fs::symlink(to, from).expect("a link");
}

/// A folder by its name, a file by another name of its own.
fn link_hard(to: &Path, from: &Path) {
    if to.is_dir() { link(to, from) } else { fs::hard_link(to, from).expect("a link") }
}

#[test]
fn every_command_of_readme_and_guide_runs() {
    // What commands do on each release, tests of their own say.
    let jvm = &jvms()[0];
    let here = Surroundings::new(jvm);
    let (mut wrong, mut run) = (Vec::new(), 0);
    let blocks = documents().into_iter().flat_map(|(name, text)| blocks(&name, &text));
    for (number, block) in blocks.enumerate() {
        match &block.reason {
            Some(reason) => skip(&format!("{}: {}", block.document, block.commands.join("; ")), reason),
            None => {
                wrong.extend(here.run(&block, number));
                run += block.commands.len();
            }
        }
    }
    assert!(wrong.is_empty(), "on {jvm}, {} of {run}:\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(run > 90, "only {run} commands");
}

#[test]
fn a_block_is_its_commands_or_says_why_it_is_not_run() {
    let text = "a\n```console\n$ one\n$ two\n```\n<!-- not run: no net -->\n```console\n$ three\n```\n```text\n\n    x\n```\n\n    \
                four \\\n      --five\n    six\nb\n    c\n";
    let block = |commands: &[&str], reason: Option<&str>| Block {
        document: "a.md".into(),
        commands: commands.iter().map(|&command| command.to_owned()).collect(),
        reason: reason.map(str::to_owned),
    };
    let set_in = block(&["four --five", "six"], None);
    assert_eq!(
        blocks("a.md", text),
        [block(&["one", "two"], None), block(&["three"], Some("no net")), set_in]
    );
}
