//! Servers under test: a Tomcat, started on a free port of the loopback device, and requests to any server.
//!
//! Tomcat comes from Maven's central repository.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use mayfly_tests::{Jvm, Running, Workspace, artifacts, skip, workspace_root};
use regex::Regex;

/// Longest wait for one answer.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// The folder of a Tomcat, 9 or 10; why there is none.
pub(crate) fn tomcat(version: &str) -> Result<PathBuf, String> {
    let script = workspace_root().join("profiler-java/web/fetch-tomcat");
    let fetched = Command::new(script).arg(version).output().map_err(|error| error.to_string())?;
    if !fetched.status.success() {
        return Err(String::from_utf8_lossy(&fetched.stderr).trim().to_owned());
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&fetched.stdout).trim()))
}

/// Starts a Tomcat that is there with what is in the folder's `webapps`; it, and its port. `None`, and said, if the JVM lacks what it needs.
pub(crate) fn start_tomcat(
    jvm: &Jvm,
    version: &str,
    folder: &Workspace,
    agent: Option<&str>,
) -> Option<(Running, u16)> {
    let modules = jvm.modules();
    // Those that it can't start without.
    for needed in ["java.management", "java.naming", "java.desktop", "java.instrument", "java.security.jgss"]
    {
        if !modules.contains(&needed.to_owned()) {
            skip(&format!("Tomcat {version} on {jvm}"), &format!("it lacks {needed}"));
            return None;
        }
    }
    let home = tomcat(version).expect("it was there when what it serves was built");
    for part in ["conf", "temp", "logs"] {
        fs::create_dir(folder.file(part)).expect("a folder");
    }
    fs::write(folder.file("conf/server.xml"), SERVER).expect("a file");
    fs::write(folder.file("conf/web.xml"), WEB).expect("a file");
    let mut running = Running::of(command(jvm, &home, folder, agent));
    let line = running.wait_for_line("INFO: Starting ProtocolHandler");
    let port = Regex::new(r"-(\d+)\x22\]").expect("a pattern").captures(&line).expect("a port")[1].parse();
    running.wait_for_line("INFO: Server startup in");
    Some((running, port.expect("a port")))
}

/// Connects where it may, deploys what is there.
const SERVER: &str = r#"<Server port="-1"><Service name="Catalina">
<Connector port="0" address="127.0.0.1"/>
<Engine name="Catalina" defaultHost="localhost">
<Host name="localhost" appBase="webapps" startStopThreads="1" deployOnStartup="true" autoDeploy="false"/>
</Engine></Service></Server>"#;

const WEB: &str = r#"<web-app xmlns="http://xmlns.jcp.org/xml/ns/javaee" version="4.0"/>"#;

fn command(jvm: &Jvm, home: &Path, folder: &Workspace, agent: Option<&str>) -> Command {
    // What it logs goes to stderr.
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$0\" \"$@\" 2>&1"]).arg(jvm.java()).args(["-Duser.language=en", "-Xmx256m"]);
    if let Some(options) = agent {
        command.arg(artifacts().agent_flag(options));
    }
    let bin = home.join("bin");
    command
        .arg(format!("-Dcatalina.home={}", home.display()))
        .arg(format!("-Dcatalina.base={}", folder.path().display()))
        .arg(format!("-Djava.io.tmpdir={}", folder.file("temp").display()))
        .arg("-cp")
        .arg(format!("{}:{}", bin.join("bootstrap.jar").display(), bin.join("tomcat-juli.jar").display()))
        .args(["org.apache.catalina.startup.Bootstrap", "start"]);
    command
}

/// What a server answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// One request over a connection of its own.
#[track_caller]
pub(crate) fn http(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    try_http(port, method, path, headers, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
}

pub(crate) fn try_http(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(LIMIT))?;
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes())?;
    Answer::read(BufReader::new(stream))
}

impl Answer {
    /// Reads as far as the length goes that the head tells: chromedriver leaves the connection open.
    fn read(mut from: impl BufRead) -> io::Result<Self> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if from.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let length = Regex::new(r"(?i)\r\ncontent-length: *(\d+)\r\n").expect("a pattern");
        let length = length.captures(&head).map(|it| it[1].parse::<usize>().expect("a length"));
        let mut body = vec![0; length.unwrap_or(0)];
        from.read_exact(&mut body)?;
        if length.is_none() {
            from.read_to_end(&mut body)?;
        }
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Ok(Self { status, head, body: String::from_utf8_lossy(&body).into_owned() })
    }
}
