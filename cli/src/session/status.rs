//! What the agent in a running JVM is and does, from agents of any version.

use mayfly_recording::control::{Request, Response, Status};

use crate::error::Error;
use crate::session::connect::Target;

/// Asks once; an agent whose protocol is older than version 7 once more, as its status does not say what counts.
///
/// # Errors
/// As [`Target::ask`].
pub(crate) fn status(target: &Target) -> Result<Status, Error> {
    let Response::Status(mut status) = target.ask(&Request::Status)? else {
        return Err(Error::unexpected(target.pid()));
    };
    if let Some(profiling) = &mut status.profiling
        && profiling.engine.is_none()
        && let Ok(Response::Engine(engine)) = target.ask(&Request::Engine)
    {
        profiling.engine = engine;
    }
    Ok(*status)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;
    use std::path::Path;
    use std::{fs, process, thread};

    use mayfly_profile::{EngineKind, JvmInfo, Tracking};
    use mayfly_recording::control::exchange::greeting;
    use mayfly_recording::control::{Incoming, Loaded, PROTOCOL_VERSION, Profiling, encode_for, socket_name};

    use super::*;

    fn answer(request: &Request) -> Response {
        let profiling = Profiling {
            active: true,
            engine: Some(EngineKind::Sampled),
            tracking: Some(Tracking::Off),
            lifetimes: false,
            stacks: false,
            duration_ms: 7,
            gcs: 1,
            resets: 0,
            native_bytes: 9,
            recording: None,
        };
        match request {
            Request::Engine => Response::Engine(profiling.engine),
            _ => Response::Status(Box::new(Status {
                mayfly: "0.1.0".into(),
                loaded: Loaded::Launched,
                options: String::new(),
                jvm: JvmInfo::default(),
                loaded_for_ms: 5,
                profiling: Some(profiling),
            })),
        }
    }

    /// Answers as an agent of this version until somebody asks for something else than a status; returns what was asked.
    fn serve(listener: &UnixListener, version: u16) -> Vec<Request> {
        let mut asked = Vec::new();
        loop {
            let (mut client, _) = listener.accept().expect("a client");
            let (mut bytes, mut incoming) = ([0; 4096], Incoming::<Request>::default());
            let request = loop {
                match client.read(&mut bytes).expect("a request") {
                    // It only looked whether anybody listens.
                    0 => break None,
                    length => incoming.push(&bytes[..length]),
                }
                if let Some(request) = incoming.next_message().expect("a request") {
                    break Some(request);
                }
            };
            let Some(request) = request else { continue };
            if !matches!(request, Request::Status | Request::Engine) {
                return asked;
            }
            let mut greeting = greeting();
            greeting[8..10].copy_from_slice(&version.to_le_bytes());
            let answer = encode_for(version, &answer(&request)).expect("small");
            client.write_all(&[&greeting[..], &answer].concat()).expect("heard");
            asked.push(request);
        }
    }

    /// What is asked of an agent of this version, here in this process, and what is known of it then.
    fn ask_agent_of(version: u16) -> (Vec<Request>, Status) {
        let path = Path::new("/tmp").join(socket_name(process::id()));
        let listener = UnixListener::bind(&path).expect("a socket");
        thread::scope(|scope| {
            let server = scope.spawn(|| serve(&listener, version));
            let target = Target::find(process::id()).expect("this process listens");
            let status = status(&target).expect("answered");
            let _ = target.ask(&Request::Pause);
            fs::remove_file(&path).expect("there");
            (server.join().expect("served"), status)
        })
    }

    #[test]
    fn an_agent_is_asked_once_and_an_older_one_for_its_engine_too() {
        let (asked, now) = ask_agent_of(PROTOCOL_VERSION);
        assert_eq!(asked, [Request::Status]);
        assert_eq!(now.profiling.as_ref().and_then(|it| it.engine), Some(EngineKind::Sampled));
        let (asked, older) = ask_agent_of(6);
        assert_eq!(asked, [Request::Status, Request::Engine]);
        assert_eq!(older, now);
    }
}
