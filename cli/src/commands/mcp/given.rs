//! Arguments of a tool: which it takes, and those that were given, as words of a command line.
//!
//! Values never become options: `--name=value`, and names of files and JVMs behind `--`.

use serde_json::{Map, Value, json};

/// What an argument is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    Texts,
    Number,
    Flag,
    Choice(&'static [&'static str]),
}

/// An argument that a tool takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) required: bool,
    pub(super) help: &'static str,
}

impl Parameter {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Texts => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
            Kind::Number => json!({ "type": "integer", "minimum": 1 }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Choice(words) => json!({ "type": "string", "enum": words }),
        };
        schema["description"] = self.help.into();
        schema
    }

    fn takes(&self, value: &Value) -> bool {
        let text = value.as_str().is_some_and(|text| !text.is_empty());
        match self.kind {
            Kind::Text => text,
            Kind::Texts => {
                value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_string))
            }
            Kind::Number => value.as_u64().is_some_and(|number| number > 0),
            Kind::Flag => value.is_boolean(),
            Kind::Choice(words) => words.iter().any(|word| value == word),
        }
    }
}

/// The JSON Schema of all.
pub(super) fn schema(parameters: &[Parameter]) -> Value {
    let properties: Map<_, _> =
        parameters.iter().map(|parameter| (parameter.name.to_owned(), parameter.schema())).collect();
    let required: Vec<_> = parameters.iter().filter(|it| it.required).map(|it| it.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// The arguments of one call, each of which the tool takes.
#[derive(Clone, Debug, Default)]
pub(super) struct Given(Map<String, Value>);

impl Given {
    /// Checks them.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub(super) fn checked(arguments: &Value, parameters: &[Parameter]) -> Result<Self, String> {
        let mut given = arguments.as_object().cloned().unwrap_or_default();
        given.retain(|_, value| !value.is_null());
        for (name, value) in &given {
            let parameter = parameters.iter().find(|parameter| parameter.name == name);
            let Some(parameter) = parameter else { return Err(format!("there is no argument {name}")) };
            if !parameter.takes(value) {
                return Err(format!("{name} can't be {value}: {}", parameter.help));
            }
        }
        let missing = parameters.iter().find(|it| it.required && !given.contains_key(it.name));
        missing.map_or(Ok(Self(given)), |it| Err(format!("the argument {} is missing: {}", it.name, it.help)))
    }

    /// A text, or the empty one.
    pub(super) fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Texts.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let all = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Whether a flag is set.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// `--option=value`, if there is one; without a value `otherwise`, if that is any.
    pub(super) fn option(&self, option: &str, name: &str, otherwise: &str) -> Option<String> {
        let value = match self.0.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None if otherwise.is_empty() => return None,
            None => otherwise.to_owned(),
        };
        Some(format!("--{option}={value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter { name: "file", kind: Kind::Text, required: true, help: "a file" },
        Parameter { name: "limit", kind: Kind::Number, required: false, help: "rows" },
        Parameter { name: "by", kind: Kind::Choice(&["class", "object"]), required: false, help: "what" },
    ];

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let refused = |arguments: Value| Given::checked(&arguments, PARAMETERS).expect_err("refused");
        assert!(refused(json!({})).contains("file is missing"));
        assert!(refused(json!({ "file": "a", "limit": 0 })).contains("limit can't be 0"));
        assert!(refused(json!({ "file": "a", "by": "size" })).contains("by can't be"));
        assert!(refused(json!({ "file": "a", "output": "b" })).contains("no argument output"));
    }

    #[test]
    fn values_stay_values() {
        let given = Given::checked(&json!({ "file": "--output=x", "limit": 3 }), PARAMETERS).expect("fine");
        assert_eq!(given.text("file"), "--output=x");
        assert_eq!(given.option("limit", "limit", "20").as_deref(), Some("--limit=3"));
        assert_eq!(given.option("by", "by", "class").as_deref(), Some("--by=class"));
        assert_eq!(given.option("by", "by", ""), None);
    }
}
