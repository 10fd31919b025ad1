//! Manifests of the guide for Kubernetes: each volume, mount and variable that they name is there, and the agent takes its options.
//!
//! Not here: a cluster.

use std::fs;

use mayfly_tests::{Launch, Workspace, any_jvm, artifacts, workspace_root};
use serde_json::Value;

/// Blocks of YAML in the guide, with the page of each.
fn manifests() -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for name in ["containers.md", "flink.md"] {
        let page = fs::read_to_string(workspace_root().join("docs/guide").join(name)).expect("a page");
        for block in page.split("```yaml\n").skip(1) {
            let block = block.split("```").next().unwrap_or_default();
            let manifest = serde_saphyr::from_str(block).unwrap_or_else(|error| panic!("{name}: {error}"));
            found.push((name.to_owned(), manifest));
        }
    }
    found
}

/// The pods that a manifest describes: whatever has containers.
fn pods(manifest: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut open = vec![manifest];
    while let Some(value) = open.pop() {
        if value.get("containers").is_some() {
            found.push(value);
        }
        match value {
            Value::Object(fields) => open.extend(fields.values()),
            Value::Array(elements) => open.extend(elements),
            _ => {}
        }
    }
    found
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[track_caller]
fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {value}"))
}

/// The volume in which a path of a container lies.
#[track_caller]
fn volume<'a>(container: &'a Value, path: &str) -> &'a str {
    let mounts = list(container, "volumeMounts").iter();
    let holds = |mount: &&Value| {
        path.strip_prefix(text(mount, "mountPath")).is_some_and(|rest| rest.starts_with('/'))
    };
    text(
        mounts.clone().find(holds).unwrap_or_else(|| panic!("{path} is in no volume of {container}")),
        "name",
    )
}

/// What a pod says of the JVM's options, `None` for a container without.
fn agent(container: &Value) -> Option<&str> {
    let variables = list(container, "env").iter();
    variables.filter_map(|variable| variable["value"].as_str()).find(|value| value.starts_with("-agentpath:"))
}

#[test]
fn manifests_of_the_guide_name_what_is_there() {
    let manifests = manifests();
    assert!(manifests.len() >= 2, "{manifests:?}");
    let mut agents = 0;
    for (page, manifest) in &manifests {
        if manifest.get("kind").is_some() {
            assert!(manifest["apiVersion"].is_string() && manifest["spec"].is_object(), "{page}: {manifest}");
            assert!(manifest["metadata"]["name"].is_string(), "{page}: {manifest}");
        }
        for pod in pods(manifest) {
            let volumes: Vec<_> = list(pod, "volumes").iter().map(|volume| text(volume, "name")).collect();
            let containers = list(pod, "initContainers").iter().chain(list(pod, "containers"));
            for container in containers {
                text(container, "name");
                for mount in list(container, "volumeMounts") {
                    assert!(volumes.contains(&text(mount, "name")), "{page}: {mount}");
                }
                variables_are_there(container);
                if let Some(words) = agent(container) {
                    agents += 1;
                    lies_where_it_is_looked_for(pod, container, words);
                }
            }
        }
    }
    assert!(agents >= 2, "{agents}");
}

/// What `$(NAME)` stands for comes before.
fn variables_are_there(container: &Value) {
    let named = regex::Regex::new(r"\$\((\w+)\)").expect("a pattern");
    let mut before = Vec::new();
    for variable in list(container, "env") {
        for name in named.captures_iter(variable["value"].as_str().unwrap_or_default()) {
            assert!(before.contains(&&name[1]), "{variable}");
        }
        assert!(variable["value"].is_string() || variable["valueFrom"].is_object(), "{variable}");
        before.push(text(variable, "name"));
    }
}

/// An init container copies the library to a volume in which the JVM finds it, and the recording is in one, too.
fn lies_where_it_is_looked_for(pod: &Value, container: &Value, words: &str) {
    let (library, options) =
        words.strip_prefix("-agentpath:").and_then(|rest| rest.split_once('=')).expect("options");
    let copying =
        list(pod, "initContainers").iter().find(|one| one["args"][0] == "agent").expect("one that copies");
    assert_eq!(copying["args"][1], "--copy-to", "{copying}");
    let copied = format!("{}/libmayfly.so", copying["args"][2].as_str().expect("a folder"));
    assert_eq!(volume(copying, &copied), volume(container, library));
    let recording =
        options.split('#').find_map(|option| option.strip_prefix("recording-")).expect("a recording");
    volume(container, recording);
    assert!(options.ends_with("#on-error-continue"), "a pod that does not start: {options}");
}

#[test]
fn the_agent_takes_the_options_of_the_manifests() {
    any_jvm(|jvm| {
        for (page, manifest) in manifests() {
            let pods = pods(&manifest);
            for words in pods.iter().flat_map(|pod| list(pod, "containers")).filter_map(agent) {
                let folder = Workspace::new();
                let options = words.split_once('=').expect("options").1;
                let (before, file) = options.split_once("#recording-/").expect("a recording");
                let here = format!("{before}#recording-{}/{}", folder.path().display(), after_slash(file));
                let here = here.replace("#on-error-continue", "").replace("$(POD)", "shop-1");
                let launch = Launch::new(jvm, "exitlive.ExitLive").agent_at(&artifacts().agent, &here);
                let stderr = launch.run().ok().stderr;
                let files = mayfly_tests::files_in(folder.path());
                assert_eq!(files.len(), 1, "{page}: {here} on {jvm}: {stderr}");
            }
        }
    });
}

/// A path without its first folder.
fn after_slash(path: &str) -> &str {
    path.split_once('/').expect("a folder").1
}
