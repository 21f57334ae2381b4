//! The admin API's description, and whether requests and answers are as it says.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use jsonschema::{Draft, Validator};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{Request, Response};

static DESCRIPTION: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../src/admin/openapi.json")).unwrap());

/// The schemas used so far, by their places.
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

const PROBLEM: &str = "/components/schemas/Problem";

/// A place in the description, as a JSON pointer.
#[derive(Debug, Clone)]
struct Place(String);

/// Fails unless an answer is one that is described for its request, and a request that was accepted one that should be.
pub(crate) fn check(request: &Request, answer: &Response) {
    let (method, target) = request.line();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let Some((item, segments)) = item(path) else {
        assert!(matches!(answer.status, 400 | 404), "{target} is not described");
        return check_problem(answer);
    };
    let is_head = method == "HEAD";
    let method = if is_head { "GET" } else { method };
    let Some(operation) = item.child(&method.to_ascii_lowercase()) else {
        // A parameter that is none leads nowhere.
        assert!(
            matches!(answer.status, 404 | 405),
            "{method} {target} is not described"
        );
        return check_problem(answer);
    };
    if answer.status < 300 {
        check_parameters(&item, &operation, &segments, query);
        check_body(&operation, request.sent());
    }
    let place = operation
        .child("responses")
        .unwrap()
        .child(&answer.status.to_string());
    let place = place.unwrap_or_else(|| panic!("{method} {target}: {} is not described", answer.status));
    check_answer(&place, answer, is_head);
}

/// The path item of a path, with the values of its parameters.
fn item(path: &str) -> Option<(Place, Vec<(String, String)>)> {
    let is = |template: &str| -> Option<Vec<(String, String)>> {
        let (wanted, given) = (template.split('/'), path.split('/'));
        if wanted.clone().count() != given.clone().count() {
            return None;
        }
        let mut parameters = Vec::new();
        for (wanted, given) in wanted.zip(given) {
            match wanted.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                Some(name) => parameters.push((name.to_owned(), given.to_owned())),
                None if wanted == given => {}
                None => return None,
            }
        }
        Some(parameters)
    };
    let paths = Place(String::new()).child("paths").unwrap();
    let templates = paths.value().as_object().unwrap().keys();
    let mut found = templates.filter_map(|template| Some((paths.child(template)?, is(template)?)));
    found.next()
}

fn check_parameters(item: &Place, operation: &Place, segments: &[(String, String)], query: &str) {
    let places = [item, operation]
        .into_iter()
        .filter_map(|place| place.child("parameters"));
    let parameters: Vec<Place> = places.flat_map(|list| list.children()).collect();
    let query = url::form_urlencoded::parse(query.as_bytes()).into_owned();
    let given = segments.iter().cloned().map(|pair| ("path", pair));
    for (kind, (name, value)) in given.chain(query.map(|pair| ("query", pair))) {
        let mut described = parameters.iter();
        let described =
            described.find(|place| place.value()["name"] == name.as_str() && place.value()["in"] == kind);
        let described = described.unwrap_or_else(|| panic!("parameter {name} is not described"));
        let number = value.parse::<u64>().map(Value::from);
        described
            .child("schema")
            .unwrap()
            .check(&number.unwrap_or(json!(value)));
    }
}

fn check_body(operation: &Place, sent: &[u8]) {
    let Some(body) = operation.child("requestBody") else {
        return assert!(sent.is_empty(), "no body is described");
    };
    if sent.is_empty() {
        return assert_eq!(body.value()["required"], false, "a body is described as needed");
    }
    if let Some(json) = body.child("content").unwrap().child("application/json") {
        json.child("schema")
            .unwrap()
            .check(&serde_json::from_slice(sent).unwrap());
    }
}

fn check_answer(place: &Place, answer: &Response, is_head: bool) {
    for header in place.child("headers").iter().flat_map(Place::children) {
        let name = header.0.rsplit('/').next().unwrap().to_ascii_lowercase();
        header
            .child("schema")
            .unwrap()
            .check(&json!(answer.header(&name)));
    }
    let Some(content) = place.child("content") else {
        return assert_eq!((answer.has("content-type"), answer.body.len()), (false, 0));
    };
    let media_type = answer.header("content-type");
    let schema = content
        .child(media_type)
        .unwrap_or_else(|| panic!("{media_type} is not described"))
        .child("schema")
        .unwrap();
    if is_head {
        return;
    }
    if media_type.ends_with("json") {
        schema.check(&answer.json());
    } else {
        schema.check(&json!(answer.text()));
    }
    if media_type == "application/problem+json" {
        assert_eq!(answer.json()["status"], answer.status);
    }
}

pub(crate) fn check_problem(answer: &Response) {
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert_eq!(answer.json()["status"], answer.status);
    Place(PROBLEM.to_owned()).check(&answer.json());
}

impl Place {
    fn value(&self) -> &'static Value {
        DESCRIPTION.pointer(&self.0).unwrap()
    }

    /// What stands under a key here, or where it refers to.
    fn child(&self, key: &str) -> Option<Self> {
        let place = format!("{}/{}", self.0, key.replace('~', "~0").replace('/', "~1"));
        let value = DESCRIPTION.pointer(&place)?;
        Some(match value["$ref"].as_str() {
            Some(reference) => Self(reference.strip_prefix('#').unwrap().to_owned()),
            None => Self(place),
        })
    }

    fn children(&self) -> Vec<Self> {
        let keys: Vec<String> = match self.value() {
            Value::Array(list) => (0..list.len()).map(|index| index.to_string()).collect(),
            Value::Object(fields) => fields.keys().cloned().collect(),
            _ => Vec::new(),
        };
        keys.iter().filter_map(|key| self.child(key)).collect()
    }

    /// Fails unless a value is as the schema here says.
    fn check(&self, value: &Value) {
        let problems: Vec<String> = self
            .validator()
            .iter_errors(value)
            .map(|problem| format!("{}: {problem}", problem.instance_path()))
            .collect();
        assert!(
            problems.is_empty(),
            "not as described at {}: {problems:#?}\n{value:#}",
            self.0
        );
    }

    /// The schema here, made ready once.
    fn validator(&self) -> Arc<Validator> {
        let mut validators = VALIDATORS.lock();
        let validator = validators.entry(self.0.clone()).or_insert_with(|| {
            // The whole description goes along, for its references to lead somewhere.
            let mut schema = DESCRIPTION.clone();
            let pointer = self.0.replace('{', "%7B").replace('}', "%7D").replace(' ', "%20");
            schema["$ref"] = json!(format!("#{pointer}"));
            let options = jsonschema::options().with_draft(Draft::Draft202012);
            Arc::new(options.should_validate_formats(true).build(&schema).unwrap())
        });
        Arc::clone(validator)
    }
}
