//! Pages in a browser: what they show, and what a script finds that uses them.
//!
//! The browser is Debian's Chromium; without it there is nothing, and it is said, as where all that takes long is left to CI.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::recorded::skip;

/// What the browser prints of an address; `None` without a browser.
pub(crate) fn browser(options: &[&str], address: &str) -> Option<String> {
    if env::var_os("MAYFLY_JVMS").is_none() {
        skip("the page in a browser", "it takes long; MAYFLY_JVMS=all tries it, as CI does");
        return None;
    }
    let home = tempfile::tempdir().expect("temporary folder");
    let output = Command::new("chromium")
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--window-size=1280,900", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", home.path().display()))
        .args(options)
        .arg(address)
        .output();
    let Ok(output) = output else {
        skip("the page in a browser", "no chromium");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let complaints: Vec<_> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "the page's script complains: {complaints:?}");
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

/// The document after its script has run, with this selection in its address; `None` without a browser.
pub(crate) fn shown(page: &Path, selection: &str) -> Option<String> {
    browser(&["--dump-dom"], &format!("file://{}#{selection}", page.display()))
}

/// What a script finds, or promises to find, in a copy of the page, shown so wide; `None` without a browser. Files go to `folder`.
pub(crate) fn driven(
    page: &str,
    script: &str,
    folder: &Path,
    width: u32,
    options: &[&str],
) -> Option<serde_json::Value> {
    let script = script.trim_end().trim_end_matches(';');
    let tell = format!(
        "<script>document.addEventListener('ready', async () => {{ let found;
            try {{ found = await ({script}); }} catch (error) {{ found = {{checks: 0, wrong: [String(error.stack)]}}; }}
            parent.postMessage(JSON.stringify(found), '*'); }});</script></body>"
    );
    let (inner, outer) = (folder.join("driven.html"), folder.join("frame.html"));
    fs::write(&inner, page.replacen("</body>", &tell, 1)).expect("write");
    // A window is never as narrow as a phone; a frame in it is.
    let frame = format!(
        "<!doctype html><body><script>addEventListener('message', event => {{ document.title = event.data; }});</script>
        <iframe src=\"driven.html\" style=\"border: 0; width: {width}px; height: 2000px\"></iframe></body>"
    );
    fs::write(&outer, frame).expect("write");
    let document = browser(&[options, &["--dump-dom"]].concat(), &format!("file://{}", outer.display()))?;
    let title = document.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    let title =
        title.expect("the page answers").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    Some(serde_json::from_str(&title).expect("JSON"))
}
