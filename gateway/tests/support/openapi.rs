//! Checks requests and responses of the admin API against its OpenAPI description.

use std::cell::RefCell;
use std::sync::LazyLock;

use boon::{Compiler, Draft, Schemas};
use serde_json::{Value, json};

use super::{Request, Response};

/// The description of which the console has types. A test compares it with what the gateway serves.
pub(crate) const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../console/openapi.json");

static OPENAPI: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_slice(&std::fs::read(FILE).unwrap()).unwrap());

/// The URL that schemas have in references. Nothing loads it.
const URL: &str = "http://localhost/openapi.json";

thread_local! {
    /// The compiled schemas of the description.
    static SCHEMAS: RefCell<(Compiler, Schemas)> = {
        let mut compiler = Compiler::new();
        compiler.set_default_draft(Draft::V2020_12);
        compiler.enable_format_assertions();
        compiler.add_resource(URL, OPENAPI.clone()).unwrap();
        RefCell::new((compiler, Schemas::new()))
    };
}

const PROBLEM: &str = "/components/schemas/Problem";

/// A node of the description, as a JSON pointer.
#[derive(Debug, Clone)]
struct Node(String);

/// Panics unless the response is described for its request and an accepted request matches the description.
pub(crate) fn check(request: &Request, response: &Response) {
    let (method, target) = request.line();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let Some((item, segments)) = item(path) else {
        assert!(matches!(response.status, 400 | 404), "{target} is not described");
        return check_problem(response);
    };
    let is_head = method == "HEAD";
    let method = if is_head { "GET" } else { method };
    let Some(operation) = item.child(&method.to_ascii_lowercase()) else {
        assert!(
            matches!(response.status, 404 | 405),
            "{method} {target} is not described"
        );
        return check_problem(response);
    };
    if response.status < 300 {
        check_parameters(&item, &operation, &segments, query);
        check_body(&operation, request.sent_body());
    }
    let described = operation
        .child("responses")
        .unwrap()
        .child(&response.status.to_string());
    let described =
        described.unwrap_or_else(|| panic!("{method} {target}: {} is not described", response.status));
    check_response(&described, response, is_head);
}

/// The path item of a path, with the values of its parameters.
fn item(path: &str) -> Option<(Node, Vec<(String, String)>)> {
    let parameters_in = |template: &str| -> Option<Vec<(String, String)>> {
        let (template, given) = (template.split('/'), path.split('/'));
        if template.clone().count() != given.clone().count() {
            return None;
        }
        let mut parameters = Vec::new();
        for (wanted, given) in template.zip(given) {
            match wanted.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                Some(name) => parameters.push((name.to_owned(), given.to_owned())),
                None if wanted == given => {}
                None => return None,
            }
        }
        Some(parameters)
    };
    let paths = Node(String::new()).child("paths").unwrap();
    let templates = paths.value().as_object().unwrap().keys();
    let mut found = templates.filter_map(|template| Some((paths.child(template)?, parameters_in(template)?)));
    found.next()
}

fn check_parameters(item: &Node, operation: &Node, segments: &[(String, String)], query: &str) {
    let lists = [item, operation]
        .into_iter()
        .filter_map(|node| node.child("parameters"));
    let parameters: Vec<Node> = lists.flat_map(|list| list.children()).collect();
    let query = url::form_urlencoded::parse(query.as_bytes()).into_owned();
    let given = segments.iter().cloned().map(|pair| ("path", pair));
    for (kind, (name, value)) in given.chain(query.map(|pair| ("query", pair))) {
        let mut described = parameters.iter();
        let described =
            described.find(|node| node.value()["name"] == name.as_str() && node.value()["in"] == kind);
        let described = described.unwrap_or_else(|| panic!("parameter {name} is not described"));
        let number = value.parse::<u64>().map(Value::from);
        described
            .child("schema")
            .unwrap()
            .check(&number.unwrap_or(json!(value)));
    }
}

fn check_body(operation: &Node, sent: &[u8]) {
    let Some(body) = operation.child("requestBody") else {
        return assert!(sent.is_empty(), "the description has no request body");
    };
    if sent.is_empty() {
        return assert_eq!(
            body.value()["required"],
            false,
            "the description requires a request body"
        );
    }
    if let Some(json) = body.child("content").unwrap().child("application/json") {
        json.child("schema")
            .unwrap()
            .check(&serde_json::from_slice(sent).unwrap());
    }
}

fn check_response(described: &Node, response: &Response, is_head: bool) {
    for header in described.child("headers").iter().flat_map(Node::children) {
        let name = header.0.rsplit('/').next().unwrap().to_ascii_lowercase();
        header
            .child("schema")
            .unwrap()
            .check(&json!(response.header(&name)));
    }
    let Some(content) = described.child("content") else {
        return assert_eq!((response.has("content-type"), response.body.len()), (false, 0));
    };
    let media_type = response.header("content-type");
    let schema = content
        .child(media_type)
        .unwrap_or_else(|| panic!("{media_type} is not described"))
        .child("schema")
        .unwrap();
    if is_head {
        return;
    }
    if media_type.ends_with("json") {
        schema.check(&response.json());
    } else {
        schema.check(&json!(response.text()));
    }
    if media_type == "application/problem+json" {
        assert_eq!(response.json()["status"], response.status);
    }
}

pub(crate) fn check_problem(response: &Response) {
    assert_eq!(response.header("content-type"), "application/problem+json");
    assert_eq!(response.json()["status"], response.status);
    Node(PROBLEM.to_owned()).check(&response.json());
}

impl Node {
    fn value(&self) -> &'static Value {
        OPENAPI.pointer(&self.0).unwrap()
    }

    /// The value of a key, with its `$ref` resolved.
    fn child(&self, key: &str) -> Option<Self> {
        let pointer = format!("{}/{}", self.0, key.replace('~', "~0").replace('/', "~1"));
        let value = OPENAPI.pointer(&pointer)?;
        Some(match value["$ref"].as_str() {
            Some(reference) => Self(reference.strip_prefix('#').unwrap().to_owned()),
            None => Self(pointer),
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

    /// Panics unless a value matches the schema.
    fn check(&self, value: &Value) {
        let pointer = self.0.replace('{', "%7B").replace('}', "%7D").replace(' ', "%20");
        SCHEMAS.with_borrow_mut(|(compiler, schemas)| {
            let schema = compiler.compile(&format!("{URL}#{pointer}"), schemas).unwrap();
            if let Err(problem) = schemas.validate(value, schema) {
                panic!("{problem:#}\n{value:#}");
            }
        });
    }
}
