//! OpenTelemetry's profiles (OTLP, `v1development`): the message that a collector takes, with a profile for each number that is known.
//!
//! Sample types are named as those of other runtimes: `alloc_objects`, `alloc_space`, `inuse_objects`, `inuse_space`; those of lifetimes
//! are our own. The innermost location of a sample is its class. Attributes: of the resource, the labels of the recording; of a sample,
//! `mayfly.lifetime` in milliseconds and `mayfly.state` as in pprof. Not here: how it gets to a collector.

mod links;
mod proto;

use std::collections::HashMap;

use mayfly_profile::{Frame, LABEL_ATTRIBUTES, LifeSpan, Profile, TraceContext, Value};
use prost::Message;

use links::Linked;

use crate::choice::{Choice, values};
use crate::pprof::{id_of, names};
use mayfly_report::readable_class;

/// A request with this profile, as the collector's `/v1development/profiles` takes it.
pub fn otlp(profile: &Profile, choice: &Choice) -> Vec<u8> {
    message(profile, choice).encode_to_vec()
}

fn message(profile: &Profile, choice: &Choice) -> proto::Request {
    let mut tables = Tables::new();
    let known: Vec<Value> = values(profile).collect();
    let mut samples: Vec<Vec<proto::Sample>> = vec![Vec::new(); known.len()];
    let traced = Linked::of(profile);
    for (cell, parts) in profile.life_parts() {
        let leaf = tables.location(&readable_class(cell.class), "", 0);
        let frames = cell.stack.iter().map(|frame| tables.frame(frame, choice.lines));
        let locations = std::iter::once(leaf).chain(frames).collect();
        let stack_index = tables.stack(locations);
        let mut linked = traced.of_cell(&cell);
        for part in parts {
            let attribute_indices = part.life.map_or_else(Vec::new, |life| tables.life(life));
            for (samples, &value) in samples.iter_mut().zip(&known) {
                let amount = part.amounts.of(value);
                for (context, amount) in linked.divide(value, amount) {
                    let values = vec![i64::try_from(amount).unwrap_or(i64::MAX)];
                    let attribute_indices = attribute_indices.clone();
                    let link_index = context.map_or(0, |context| tables.link(context));
                    samples.push(proto::Sample { stack_index, attribute_indices, link_index, values });
                }
            }
        }
    }
    let profiles = known.iter().zip(samples).map(|(&value, samples)| {
        let (name, unit) = names(value);
        let sample_type =
            proto::ValueType { type_strindex: tables.text(name), unit_strindex: tables.text(unit) };
        of_type(profile, sample_type, samples)
    });
    let profiles = profiles.collect();
    let scope = proto::Scope { name: "mayfly".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let scope_profiles = vec![proto::ScopeProfiles { scope: Some(scope), profiles }];
    let resource = proto::Resource { attributes: resource(profile) };
    let resource_profiles = vec![proto::ResourceProfiles { resource: Some(resource), scope_profiles }];
    proto::Request { resource_profiles, dictionary: Some(tables.dictionary) }
}

fn of_type(profile: &Profile, sample_type: proto::ValueType, samples: Vec<proto::Sample>) -> proto::Profile {
    let nanos = |ms: u64| ms.saturating_mul(1_000_000);
    let from_ms = profile.part.during_ms.map_or(0, |(from_ms, _)| from_ms);
    proto::Profile {
        sample_type: Some(sample_type),
        samples,
        time_unix_nano: nanos(profile.run.started_unix_ms.saturating_add(from_ms)),
        duration_nano: nanos(profile.duration_ms),
    }
}

fn resource(profile: &Profile) -> Vec<proto::KeyValue> {
    let labels = profile.all_labels();
    let named = |name: &str| {
        LABEL_ATTRIBUTES
            .iter()
            .find(|(ours, _)| *ours == name)
            .map_or_else(|| format!("mayfly.{name}"), |(_, theirs)| (*theirs).to_owned())
    };
    let attribute = |(name, value): (&String, &String)| {
        let value = match (name.as_str(), value.parse()) {
            ("pid", Ok(pid)) => proto::Any::Int(pid),
            _ => proto::Any::Text(value.clone()),
        };
        proto::KeyValue { key: named(name), value: Some(proto::AnyValue { value: Some(value) }) }
    };
    let unnamed = (!labels.contains_key("application"))
        .then(|| ("application".to_owned(), "unknown_service:java".to_owned()));
    unnamed.iter().map(|(name, value)| (name, value)).chain(&labels).map(attribute).collect()
}

/// What samples refer to by number. The first of each is what 0 stands for: nothing.
struct Tables {
    dictionary: proto::Dictionary,
    texts: HashMap<String, i32>,
    locations: HashMap<(i32, i32, i64), i32>,
    stacks: HashMap<Vec<i32>, i32>,
    attributes: HashMap<(i32, proto::Key), i32>,
    links: HashMap<proto::Link, i32>,
}

impl Tables {
    fn new() -> Self {
        let dictionary = proto::Dictionary {
            mapping_table: vec![proto::Empty {}],
            location_table: vec![proto::Location::default()],
            function_table: vec![proto::Function::default()],
            link_table: vec![proto::Link::default()],
            string_table: vec![String::new()],
            attribute_table: vec![proto::Attribute::default()],
            stack_table: vec![proto::Stack::default()],
        };
        Self {
            dictionary,
            texts: HashMap::from([(String::new(), 0)]),
            locations: HashMap::new(),
            stacks: HashMap::new(),
            attributes: HashMap::new(),
            links: HashMap::new(),
        }
    }

    fn text(&mut self, text: &str) -> i32 {
        let table = &mut self.dictionary.string_table;
        id_of(&mut self.texts, text.to_owned(), next(table), || table.push(text.to_owned()))
    }

    fn frame(&mut self, frame: &Frame, lines: bool) -> i32 {
        let line = frame.line.filter(|_| lines).unwrap_or(0);
        let name = format!("{}.{}", frame.class, frame.method);
        self.location(&name, frame.file.as_deref().unwrap_or_default(), line)
    }

    /// A function for each line of it: nothing but its name is known.
    fn location(&mut self, name: &str, file: &str, line: u32) -> i32 {
        let key = (self.text(name), self.text(file), i64::from(line));
        let (functions, table) = (&mut self.dictionary.function_table, &mut self.dictionary.location_table);
        id_of(&mut self.locations, key, next(table), || {
            let lines = vec![proto::Line { function_index: next(functions), line: key.2 }];
            functions.push(proto::Function {
                name_strindex: key.0,
                system_name_strindex: key.0,
                filename_strindex: key.1,
            });
            table.push(proto::Location { lines });
        })
    }

    fn stack(&mut self, location_indices: Vec<i32>) -> i32 {
        let table = &mut self.dictionary.stack_table;
        id_of(&mut self.stacks, location_indices.clone(), next(table), || {
            table.push(proto::Stack { location_indices });
        })
    }

    fn link(&mut self, context: TraceContext) -> i32 {
        let link = proto::Link { trace_id: context.trace().to_vec(), span_id: context.span().to_vec() };
        let table = &mut self.dictionary.link_table;
        id_of(&mut self.links, link.clone(), next(table), || table.push(link))
    }

    fn life(&mut self, life: LifeSpan) -> Vec<i32> {
        let age = i64::try_from(life.middle_ms()).unwrap_or(i64::MAX);
        vec![
            self.attribute("mayfly.state", proto::Key::Text(life.state()), ""),
            self.attribute("mayfly.lifetime", proto::Key::Int(age), "ms"),
        ]
    }

    fn attribute(&mut self, name: &str, value: proto::Key, unit: &str) -> i32 {
        let (key_strindex, unit_strindex) = (self.text(name), self.text(unit));
        let table = &mut self.dictionary.attribute_table;
        id_of(&mut self.attributes, (key_strindex, value), next(table), || {
            let any = match value {
                proto::Key::Text(text) => proto::Any::Text(text.to_owned()),
                proto::Key::Int(number) => proto::Any::Int(number),
            };
            let value = Some(proto::AnyValue { value: Some(any) });
            table.push(proto::Attribute { key_strindex, value, unit_strindex });
        })
    }
}

/// The number of the row that comes.
fn next<T>(table: &[T]) -> i32 {
    i32::try_from(table.len()).unwrap_or(i32::MAX)
}

/// How many profiles a collector says in its answer that it has not taken, and why; `None`: it took all.
pub fn rejected_by_otlp(answer: &[u8]) -> Option<(i64, String)> {
    let answer = proto::Response::decode(answer).ok()?;
    let partial = answer.partial_success?;
    (partial.rejected_profiles > 0).then_some((partial.rejected_profiles, partial.error_message))
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{ClassProfile, Tally, TracedObjects, Traces};

    use super::*;

    /// What is live, with the links of its samples.
    fn live(message: &proto::Request) -> Vec<(proto::Link, i64)> {
        let dictionary = message.dictionary.as_ref().expect("a dictionary");
        let text = |index: i32| &dictionary.string_table[index as usize];
        let profiles = &message.resource_profiles[0].scope_profiles[0].profiles;
        let is_live =
            |profile: &&proto::Profile| text(profile.sample_type.unwrap().type_strindex) == "inuse_space";
        let samples = profiles.iter().filter(is_live).flat_map(|profile| &profile.samples);
        let link = |sample: &proto::Sample| dictionary.link_table[sample.link_index as usize].clone();
        samples.map(|sample| (link(sample), sample.values[0])).collect()
    }

    #[test]
    fn what_is_live_links_to_the_span_that_made_it() {
        let mut profile = Profile::default();
        profile.run.lifetimes = true;
        let (name, stack) = ("a.A".to_owned(), mayfly_profile::Stack::NONE);
        let (allocated, kept) = (Tally::of(5, 24), Some(Tally::of(3, 24)));
        profile.classes =
            vec![ClassProfile { name: name.clone(), allocated, live: kept, ..ClassProfile::default() }];
        let context = TraceContext::new([0xab; 16], [0x12; 8]).expect("ids");
        let row = TracedObjects { context, class: name, stack, live: Tally::of(2, 24), born_ms: 7 };
        let without = live(&message(&profile, &Choice::default()));
        assert_eq!(without, [(proto::Link::default(), 72)]);
        profile.traces = Some(Traces { rows: vec![row], ..Traces::default() });
        let bytes = otlp(&profile, &Choice::default());
        let decoded = proto::Request::decode(&*bytes).expect("a message");
        let link = proto::Link { trace_id: vec![0xab; 16], span_id: vec![0x12; 8] };
        assert_eq!(live(&decoded), [(link, 48), (proto::Link::default(), 24)]);
    }

    #[test]
    fn labels_are_called_as_resources_call_them() {
        let mut profile = Profile::default();
        let labels = ["environment", "pod", "team"].map(|name| (name.to_owned(), "x".to_owned()));
        profile.labels.extend(labels);
        let keys: Vec<_> = resource(&profile).into_iter().map(|attribute| attribute.key).collect();
        for key in ["deployment.environment.name", "k8s.pod.name", "mayfly.team"] {
            assert!(keys.iter().any(|known| known == key), "{key} is not in {keys:?}");
        }
    }
}
