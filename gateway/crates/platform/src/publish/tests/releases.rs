//! `release.json` with arbitrary contents.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::archive::archive;
use super::{TestStore, cases, sample};
use colonnade_model::fuzzing;

/// Strings with a special meaning in a release.
const TEXTS: &[&str] = &[
    "",
    "/",
    "/a/:b",
    "/a/:b/:b",
    "/_x",
    "/state/:state",
    "/state/Ohio",
    "/state/%zz",
    "//",
    "/../x",
    "client/entry.js",
    "client/state.css",
    "client/icon.svg",
    "client/gone.js",
    "server/index.js",
    "../../evil.js",
    "client/../../evil.js",
    "release.json",
    "stored.json",
    "directory",
    "shell",
    "join",
    "section",
    "1.0.0",
    "1.0.0-a.b+c",
    "^1.0.0",
    ">=1 <2 || 3.x",
    "99999999999999999999.0.0",
    "text/javascript",
    "text/css; charset=utf-8",
    "a\nb",
    "sha384-",
    "\u{0}",
    "\u{1f600}",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => select(TEXTS).prop_map(str::to_owned), 1 => any::<String>()]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        4 => text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// One modification of a JSON value.
#[derive(Debug, Clone)]
enum Edit {
    Replace(Value),
    Text(String),
    Remove,
    Repeat,
    Add(String, Value),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        1 => value().prop_map(Edit::Replace),
        4 => text().prop_map(Edit::Text),
        1 => Just(Edit::Remove),
        1 => Just(Edit::Repeat),
        1 => (text(), value()).prop_map(|(key, value)| Edit::Add(key, value)),
    ]
}

/// The JSON pointers of all values in a value.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &format!("{at}/{index}"), found);
            }
        }
        Value::Object(entries) => {
            for (key, item) in entries {
                let key = key.replace('~', "~0").replace('/', "~1");
                pointers(item, &format!("{at}/{key}"), found);
            }
        }
        _ => {}
    }
}

fn apply(json: &mut Value, at: Index, edit: Edit) {
    let mut found = Vec::new();
    pointers(json, "", &mut found);
    let pointer = found[at.index(found.len())].clone();
    let (parent, key) = pointer.rsplit_once('/').unwrap_or(("", ""));
    match edit {
        Edit::Replace(value) => *json.pointer_mut(&pointer).unwrap() = value,
        Edit::Text(text) => {
            let target = json.pointer_mut(&pointer).unwrap();
            if target.is_string() {
                *target = Value::from(text);
            }
        }
        // The root has no parent.
        Edit::Remove if pointer.is_empty() => {}
        Edit::Remove => match json.pointer_mut(parent) {
            Some(Value::Array(items)) => {
                items.remove(key.parse().unwrap());
            }
            Some(Value::Object(entries)) => {
                entries.remove(&key.replace("~1", "/").replace("~0", "~"));
            }
            _ => {}
        },
        Edit::Repeat => {
            if let Some(Value::Array(items)) = json.pointer_mut(&pointer)
                && let Some(item) = items.first().cloned()
            {
                items.push(item);
            }
        }
        Edit::Add(key, value) => {
            if let Some(Value::Object(entries)) = json.pointer_mut(&pointer) {
                entries.insert(key, value);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn accepted_release_is_valid_and_loadable(edits in vec((any::<Index>(), edit()), 0..4)) {
        let sample = sample();
        let mut json = json!(sample.release);
        for (at, edit) in edits {
            apply(&mut json, at, edit);
        }
        let text = json.to_string();
        fuzzing::release_json(text.as_bytes());
        TestStore::new().try_publish(&archive(text.as_bytes(), &sample.files));
    }
}
