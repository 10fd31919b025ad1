//! What tells this process from others: host, a number that no other process has, and what the environment says of the service.
//!
//! Not here: what the user names (`#label`), and what the JVM says of itself.

use std::{env, fs};

use mayfly_profile::{LABEL_ATTRIBUTES, Labels};

/// Labels that no environment gives: it may be that of several processes.
const OF_ONE_PROCESS: [&str; 2] = ["process", "pid"];

/// Labels of this process, of which those that the user gave win.
pub(crate) fn labels(given: &Labels) -> Labels {
    let variable = |name: &str| env::var(name).ok();
    labels_by(given, variable, |path| fs::read_to_string(path).ok())
}

fn labels_by(
    given: &Labels,
    variable: impl Fn(&str) -> Option<String>,
    file: impl Fn(&str) -> Option<String>,
) -> Labels {
    let mut labels = Labels::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()) {
            labels.insert(name.to_owned(), value);
        }
    };
    add("host", file("/proc/sys/kernel/hostname"));
    add("process", file("/proc/sys/kernel/random/uuid"));
    let attributes = variable("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    for (name, value) in attributes.split(',').filter_map(|pair| pair.split_once('=')) {
        let ours = LABEL_ATTRIBUTES.iter().find(|(_, theirs)| *theirs == name.trim());
        let ours = ours.filter(|(ours, _)| !OF_ONE_PROCESS.contains(ours));
        ours.into_iter().for_each(|(ours, _)| add(ours, Some(value.to_owned())));
    }
    add("application", variable("OTEL_SERVICE_NAME"));
    labels.extend(given.clone());
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_names_goes_before_the_environment_and_that_before_the_system() {
        let given = [("version".to_owned(), "2".to_owned()), ("team".to_owned(), "cart".to_owned())].into();
        let variable = |name: &str| {
            match name {
            "OTEL_SERVICE_NAME" => Some("shop".to_owned()),
            "OTEL_RESOURCE_ATTRIBUTES" => {
                Some("service.name=x, service.version=1,host.name=pod-7,other=z,process.pid=1,service.instance.id=all".to_owned())
            }
            _ => None,
        }
        };
        let file =
            |path: &str| path.ends_with("uuid").then(|| "1-2-3\n".to_owned()).or(Some("node\n".to_owned()));
        let labels: Vec<_> = labels_by(&given, variable, file).into_iter().collect();
        let label = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let wanted = [
            label("application", "shop"),
            label("host", "pod-7"),
            label("process", "1-2-3"),
            label("team", "cart"),
            label("version", "2"),
        ];
        assert_eq!(labels, wanted);
        assert!(labels_by(&Labels::new(), |_| None, |_| None).is_empty());
    }
}
