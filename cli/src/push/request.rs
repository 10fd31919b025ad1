//! A profile as one HTTP request to who collects it: OTLP's own path, or Pyroscope's `push.v1`.
//!
//! Not here: when it is tried again (`delivery`).

use std::fs;
use std::io::{Read, Write};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use mayfly_formats::{Choice, Format, otlp, rejected_by_otlp};
use mayfly_profile::Profile;
use serde_json::json;

use super::delivery::Failure;

/// Where profiles are taken when the URL has no path.
const OTLP_PATH: &str = "/v1development/profiles";
const PYROSCOPE_PATH: &str = "/push.v1.PusherService/Push";
/// Of an answer no more is read.
const ANSWER_BYTES: u64 = 16 << 10;

/// Who collects, and how he is spoken to.
#[derive(Clone, Debug)]
pub(crate) struct Receiving {
    /// Where, without a slash at its end.
    pub(crate) url: String,
    /// Whether he is Pyroscope; a collector of OpenTelemetry otherwise.
    pub(crate) is_pyroscope: bool,
    /// Further headers.
    pub(crate) headers: Vec<(String, String)>,
}

/// A request that can be sent again.
#[derive(Debug)]
pub(crate) struct Letter {
    url: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    is_pyroscope: bool,
}

impl Receiving {
    /// The request for a profile.
    pub(crate) fn letter(&self, profile: &Profile) -> Letter {
        let (body, kind) = match self.is_pyroscope {
            true => (pyroscope(profile), "application/json"),
            false => (otlp(profile, &Choice::default()), "application/x-protobuf"),
        };
        let mut headers = vec![
            ("Content-Type".to_owned(), kind.to_owned()),
            ("Content-Encoding".to_owned(), "gzip".to_owned()),
            ("User-Agent".to_owned(), format!("mayfly/{}", env!("CARGO_PKG_VERSION"))),
        ];
        headers.extend(self.headers.clone());
        Letter { url: self.address(), headers, body: packed(&body), is_pyroscope: self.is_pyroscope }
    }

    /// The URL with the usual path, if it has none.
    pub(crate) fn address(&self) -> String {
        let has_path = self.url.trim_start_matches("http://").contains('/');
        let path = if self.is_pyroscope { PYROSCOPE_PATH } else { OTLP_PATH };
        if has_path { self.url.clone() } else { format!("{}{path}", self.url) }
    }
}

impl Letter {
    /// Sends it once, and waits so long for the answer.
    pub(crate) fn send(&self, limit: Duration) -> Result<(), Failure> {
        let request = minreq::post(&*self.url)
            .with_headers(self.headers.clone())
            .with_body(self.body.clone())
            .with_timeout(limit.as_secs().max(1))
            .with_max_headers_size(64 << 10)
            .with_max_status_line_length(4 << 10)
            .with_follow_redirects(false);
        let mut answer = request.send_lazy().map_err(|error| Failure::Passing(error.to_string()))?;
        let mut text = Vec::new();
        let status = answer.status_code;
        // What it says is of interest only where it is not taken, and an answer that breaks off is one.
        let _ = answer.by_ref().take(ANSWER_BYTES).read_to_end(&mut text);
        let said = || {
            let text = String::from_utf8_lossy(&text);
            let text: String = text.trim().chars().take(200).collect();
            if text.is_empty() { format!("answered {status}") } else { format!("answered {status}: {text}") }
        };
        match status {
            200..=299 if self.is_pyroscope => Ok(()),
            200..=299 => match rejected_by_otlp(&text) {
                Some((profiles, why)) => Err(Failure::Final(format!("{profiles} profiles rejected: {why}"))),
                None => Ok(()),
            },
            408 | 429 | 500 | 502..=504 => Err(Failure::Passing(said())),
            _ => Err(Failure::Final(said())),
        }
    }
}

fn packed(body: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    // A vector takes all.
    let _ = gzip.write_all(body);
    gzip.finish().unwrap_or_default()
}

fn pyroscope(profile: &Profile) -> Vec<u8> {
    let mut pprof = Vec::new();
    let _ = Format::Pprof.write(profile, &Choice::default(), &mut pprof);
    let labels = profile.all_labels();
    let service = labels.get("application").map_or("unknown_service:java", String::as_str);
    let label = |name: &str, value: &str| json!({ "name": name, "value": value });
    let others = labels.iter().filter(|(name, _)| *name != "application");
    let labels: Vec<_> = [label("__name__", "memory"), label("service_name", service)]
        .into_iter()
        .chain(others.map(|(name, value)| label(&label_name(name), value)))
        .collect();
    let id = fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap_or_default();
    let sample = json!({ "ID": id.trim(), "rawProfile": BASE64.encode(pprof) });
    json!({ "series": [{ "labels": labels, "samples": [sample] }] }).to_string().into_bytes()
}

/// As Prometheus takes names.
fn label_name(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_given_replaces_the_usual_one() {
        let to =
            |url: &str, is_pyroscope| Receiving { url: url.into(), is_pyroscope, headers: vec![] }.address();
        assert_eq!(to("http://a:4318", false), "http://a:4318/v1development/profiles");
        assert_eq!(to("http://a:4040", true), "http://a:4040/push.v1.PusherService/Push");
        assert_eq!(to("http://a/x/y", false), "http://a/x/y");
        assert_eq!(label_name("team.name-1"), "team_name_1");
    }
}
