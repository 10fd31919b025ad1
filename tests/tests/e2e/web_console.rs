//! The console in a servlet container: its buttons pressed in a browser, and everybody refused who does not come from its page.
//!
//! Tomcat comes from Maven's central repository, the browser is Debian's Chromium; without them these tests are skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use mayfly_tests::{
    Jvm, Running, Workspace, any_jvm, each_jvm, jdks, left_to_ci, mayfly, skip, workspace_root,
};
use regex::Regex;
use serde_json::{Value, json};

use crate::servers::{Answer, LIMIT, http, start_tomcat, tomcat, try_http};

/// A container, and the war for it.
struct Container {
    tomcat: &'static str,
    war: &'static str,
}

const CONTAINERS: [Container; 2] = [
    Container { tomcat: "10", war: "mayfly-console-jakarta.war" },
    Container { tomcat: "9", war: "mayfly-console-javax.war" },
];

/// The folder with both wars.
fn wars() -> Option<&'static Path> {
    static WARS: OnceLock<Option<Workspace>> = OnceLock::new();
    let built = WARS.get_or_init(|| build().map_err(|why| skip("the web console", &why)).ok());
    built.as_ref().map(Workspace::path)
}

fn web() -> PathBuf {
    workspace_root().join("profiler-java/web")
}

fn build() -> Result<Workspace, String> {
    for container in &CONTAINERS {
        tomcat(container.tomcat)?;
    }
    let jdk = jdks(11).into_iter().find(|jdk| jdk.javac().is_some()).ok_or("no JDK with javac")?;
    let folder = Workspace::new();
    let output = Command::new(web().join("build")).arg(folder.path()).env("JAVA_HOME", &jdk.home).output();
    let output = output.map_err(|error| error.to_string())?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(folder)
}

/// A Tomcat with the console, under the agent or not.
struct Served {
    running: Running,
    port: u16,
    folder: Workspace,
}

impl Served {
    /// Starts one on a free port of the loopback device; `None` if the JVM lacks what Tomcat needs.
    fn start(jvm: &Jvm, container: &Container, agent: Option<&str>) -> Option<Self> {
        let war = wars()?.join(container.war);
        let folder = Workspace::new();
        let agent = agent.map(|options| format!("{options}#live-0#output-{}", folder.path().display()));
        fs::create_dir(folder.file("webapps")).expect("a folder");
        fs::copy(war, folder.file("webapps/mayfly.war")).expect("a war");
        let (running, port) = start_tomcat(jvm, container.tomcat, &folder, agent.as_deref())?;
        Some(Self { running, port, folder })
    }

    fn get(&self, path: &str) -> Answer {
        http(self.port, "GET", path, &[], "")
    }

    fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let form = ("Content-Type", "application/x-www-form-urlencoded");
        http(self.port, "POST", path, &[&[form], headers].concat(), body)
    }

    /// The form's body with the token that the page has.
    fn token(&self) -> String {
        let page = self.get("/mayfly/").body;
        let token = Regex::new(r#"name="token" value="([0-9a-f]{32})""#).expect("a pattern");
        format!("token={}", &token.captures(&page).unwrap_or_else(|| panic!("no token in {page}"))[1])
    }

    fn status(&self) -> Value {
        let told = mayfly(["status", "--json", &self.running.pid().to_string()]).ok().stdout;
        serde_json::from_str::<Value>(&told).expect("JSON")["profiling"].take()
    }
}

#[test]
fn requests_from_elsewhere_are_refused_and_change_nothing() {
    if left_to_ci("requests to the console from elsewhere") {
        return;
    }
    any_jvm(|jvm| {
        for container in &CONTAINERS {
            let Some(mut served) = Served::start(jvm, container, Some("#delayprofiling")) else { continue };
            let token = served.token();
            let own = format!("http://127.0.0.1:{}", served.port);
            let elsewhere = [("Origin", "http://other.example")];
            let refused: [(&[(&str, &str)], &str); 6] = [
                (&[], ""),
                (&[], "token=00000000000000000000000000000000"),
                (&elsewhere, &token),
                (&[("Origin", "null")], &token),
                (&[("Sec-Fetch-Site", "cross-site")], &token),
                (&[("Origin", own.as_str()), ("Sec-Fetch-Site", "same-site")], &token),
            ];
            for button in ["start", "reset", "output", "pause"] {
                let path = format!("/mayfly/{button}");
                for (headers, body) in refused {
                    let answer = served.post(&path, headers, body);
                    assert_eq!(answer.status, 403, "{path} {headers:?} {body} on {jvm}: {}", answer.body);
                }
                let answer = served.get(&format!("{path}?{token}"));
                assert_eq!(answer.status, 405, "{path} on {jvm}: {}", answer.body);
            }
            assert_eq!(served.post("/mayfly/other", &[], &token).status, 404);
            assert_eq!(served.get("/mayfly/other").status, 404);
            let status = served.status();
            assert_eq!((&status["state"], &status["resets"]), (&json!("paused"), &json!(0)), "on {jvm}");
            let answer = served.post("/mayfly/start?cb=1", &[("Origin", &own)], &token);
            assert!(
                answer.head.contains("no-store") && answer.head.contains("text/plain"),
                "{}",
                answer.head
            );
            assert_eq!((answer.status, &served.status()["state"]), (200, &json!("on")), "{}", answer.body);
            served.running.kill();
        }
    });
}

#[test]
fn without_the_agent_the_console_says_so() {
    if left_to_ci("the console without the agent") {
        return;
    }
    any_jvm(|jvm| {
        let Some(mut served) = Served::start(jvm, &CONTAINERS[0], None) else { return };
        let answer = served.post("/mayfly/start", &[], &served.token());
        assert_eq!(answer.status, 503, "on {jvm}");
        assert!(answer.body.contains("no agent is in this JVM"), "on {jvm}: {}", answer.body);
        served.running.kill();
    });
}

/// A browser, driven as WebDriver says (W3C).
struct Browser {
    driver: Running,
    port: u16,
    session: String,
    profile: Workspace,
}

impl Browser {
    fn start() -> Option<Self> {
        let paths: Vec<_> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
        let found = |name: &str| paths.iter().map(|folder| folder.join(name)).find(|path| path.exists());
        let (Some(chromium), Some(driver)) = (found("chromium"), found("chromedriver")) else {
            skip("the console's buttons", "no chromium and chromedriver on PATH: install chromium-driver");
            return None;
        };
        let profile = Workspace::new();
        let mut command = Command::new(driver);
        command.arg("--port=0").env("HOME", profile.path());
        let mut driver = Running::of(command);
        let line = driver.wait_for_line("ChromeDriver was started successfully");
        let port = line.trim_end_matches(['.', '\n']).rsplit(' ').next().and_then(|port| port.parse().ok());
        let mut browser = Self { driver, port: port.expect("a port"), session: String::new(), profile };
        browser.open_session(&chromium);
        Some(browser)
    }

    fn open_session(&mut self, chromium: &Path) {
        let profile = format!("--user-data-dir={}", self.profile.path().display());
        let args = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            &profile,
        ];
        let options = json!({"binary": chromium.display().to_string(), "args": args});
        let wanted = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}});
        let session =
            self.ask("POST", "/session", &wanted)["sessionId"].as_str().expect("a session").to_owned();
        self.session = format!("/session/{session}");
        // An element that is looked for may take that long to come.
        self.does("timeouts", &json!({"implicit": (LIMIT / 2).as_millis() as u64}));
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let json = [("Content-Type", "application/json")];
        let answer = http(self.port, method, path, &json, &body);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str::<Value>(&answer.body).expect("JSON")["value"].take()
    }

    fn does(&self, what: &str, with: &Value) -> Value {
        self.ask("POST", &format!("{}/{what}", self.session), with)
    }

    fn open(&self, url: &str) {
        self.does("url", &json!({ "url": url }));
    }

    /// Waits for an element; its reference.
    fn find(&self, xpath: &str) -> Value {
        self.does("element", &json!({"using": "xpath", "value": xpath}))
    }

    fn click(&self, id: &str) {
        let element = self.find(&format!("//button[@id='{id}']"));
        let reference = element.as_object().and_then(|it| it.values().next()?.as_str()).expect("a reference");
        self.does(&format!("element/{reference}/click"), &json!({}));
    }

    /// Waits for a text in the frame of answers.
    fn wait_in_frame(&self, text: &str) {
        let frame = self.find("//iframe");
        self.does("frame", &json!({ "id": frame }));
        self.find(&format!("//body[contains(., '{text}')]"));
        self.does("frame", &json!({ "id": null }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser, too, which killing its driver does not.
        if !self.session.is_empty() {
            let _ = try_http(self.port, "DELETE", &self.session, &[], "");
        }
        self.driver.kill();
    }
}

#[test]
fn the_four_buttons_work_in_a_browser() {
    if left_to_ci("the console in a browser") {
        return;
    }
    if wars().is_none() {
        return;
    }
    each_jvm(|jvm| {
        let Some(browser) = Browser::start() else { return };
        for container in &CONTAINERS {
            let Some(mut served) = Served::start(jvm, container, Some("#delayprofiling")) else { continue };
            let console = format!("http://127.0.0.1:{}/mayfly/", served.port);
            browser.open(&console);
            browser.find("//p[contains(., 'Whoever can reach this page may press its buttons')]");
            let buttons = [
                ("start", "Mayfly Profiling started!", "on", 0),
                ("reset", "Mayfly Data Reset!", "on", 1),
                ("output", "Mayfly Data Output!", "on", 1),
                ("pause", "Mayfly Profiling disabled!", "paused", 1),
            ];
            for (button, said, state, resets) in buttons {
                browser.click(button);
                browser.wait_in_frame(said);
                let status = served.status();
                assert_eq!(
                    (&status["state"], &status["resets"]),
                    (&json!(state), &json!(resets)),
                    "{button} on {jvm}"
                );
            }
            let log = fs::read_to_string(served.folder.file("mayfly.log")).expect("a report");
            assert!(log.contains("Reason for output: API request"), "on {jvm}: {log}");
            // The same button on a page of another site.
            let foreign = format!(
                "data:text/html,<form method='post' action='{console}start'><button id='b'>B</button></form>"
            );
            browser.open(&foreign);
            browser.click("b");
            browser.find("//body[contains(., 'Mayfly: refused')]");
            assert_eq!(served.status()["state"], "paused", "on {jvm}");
            served.running.kill();
        }
    });
}
