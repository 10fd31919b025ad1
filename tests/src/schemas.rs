//! Whether a document is as its schema in `docs/schemas` has it.

use std::fs;

use serde_json::Value;

use crate::folders::workspace_root;

/// What of a document its schema in `docs/schemas` does not allow.
///
/// # Panics
/// If it names no schema that is there.
pub fn schema_faults(document: &Value) -> Vec<String> {
    let name = document["schema"].as_str().expect("a schema").replace('/', "-");
    let file = workspace_root().join(format!("docs/schemas/{name}.json"));
    let schema = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    faults_by(document, &serde_json::from_str(&schema).expect("JSON"), &name)
}

/// What of a value a schema does not allow, by the words that these schemas use: `const`, `enum`, `type`, `properties`, `required`, `items`.
fn faults_by(value: &Value, schema: &Value, path: &str) -> Vec<String> {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is = |wanted: &Value| wanted == kind || (wanted == "number" && kind == "integer");
    let among = schema["enum"].as_array().is_none_or(|values| values.contains(value));
    let fits = match &schema["type"] {
        Value::Null => schema["const"].is_null() || schema["const"] == *value,
        Value::Array(kinds) => kinds.iter().any(is),
        kind => is(kind),
    };
    let mut found: Vec<_> = (!fits || !among).then(|| format!("{path} is {value}")).into_iter().collect();
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    found.extend(
        required
            .filter(|key| value.is_object() && value.get(key).is_none())
            .map(|key| format!("{path}.{key} is missing")),
    );
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        found.extend(
            value.get(key).into_iter().flat_map(|value| faults_by(value, inner, &format!("{path}.{key}"))),
        );
    }
    let items = value.as_array().into_iter().flatten();
    found.extend(items.flat_map(|item| faults_by(item, &schema["items"], &format!("{path}[]"))));
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_schema_does_not_allow_is_named() {
        let schema = json!({
            "type": "object",
            "properties": { "state": { "enum": ["ok", "no"] }, "rows": { "type": "array", "items": { "type": "integer" } } },
            "required": ["state"],
        });
        assert!(faults_by(&json!({ "state": "ok", "rows": [1], "more": null }), &schema, "x").is_empty());
        assert_eq!(faults_by(&json!({ "state": "maybe" }), &schema, "x"), ["x.state is \"maybe\""]);
        assert_eq!(faults_by(&json!({ "rows": [1.5] }), &schema, "x").len(), 2);
        assert_eq!(faults_by(&json!([]), &schema, "x").len(), 1);
        let either = json!({ "type": ["integer", "null"] });
        assert!(
            faults_by(&json!(null), &either, "x").is_empty()
                && faults_by(&json!("1"), &either, "x").len() == 1
        );
    }
}
