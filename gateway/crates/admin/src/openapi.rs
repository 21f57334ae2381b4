//! The OpenAPI description of the admin API. Its schemas are derived from the types that the handlers deserialize and
//! serialize.

mod operation;
mod operations;

use std::sync::LazyLock;

use bytes::Bytes;
use http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use colonnade_model::schema::{Name, Number, Version};
use colonnade_web::response::{JSON, Response, response};

use self::operation::{collect_schemas, parameter};
use self::operations::operations;
use super::session::COOKIE;

static DESCRIPTION: LazyLock<Bytes> = LazyLock::new(|| description().to_string().into());

/// `GET /api/v1/openapi.json`
pub(super) fn respond() -> Response {
    response(StatusCode::OK, JSON, DESCRIPTION.clone())
}

/// A problem document (RFC 9457).
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Problem)]
struct ProblemSchema {
    #[serde(rename = "type")]
    #[schema(pattern = "^about:blank$")]
    kind: String,
    /// The reason phrase of the status.
    title: String,
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What is wrong, and what was expected.
    #[schema(min_length = 1)]
    detail: String,
    /// All problems, for errors that can have several.
    #[schema(min_items = 1, nullable = false)]
    problems: Option<Vec<String>>,
    /// The live deployment, if `base` names another.
    #[schema(value_type = Option<Number>)]
    live: Option<u64>,
}

fn description() -> Value {
    let mut schemas = Map::new();
    let mut paths = Map::new();
    for (path, operations) in operations() {
        let mut item = Map::new();
        for (method, operation) in operations {
            schemas.extend(operation.schemas);
            item.insert(method.to_owned(), operation.value);
        }
        let names = ["name", "version", "number"].into_iter();
        let parameters = names.filter(|name| path.contains(&format!("{{{name}}}")));
        let parameters: Vec<Value> = parameters
            .map(|name| json!({ "$ref": format!("#/components/parameters/{name}") }))
            .collect();
        if !parameters.is_empty() {
            item.insert("parameters".to_owned(), parameters.into());
        }
        paths.insert(path.to_owned(), item.into());
    }
    for derived in [
        collect_schemas::<ProblemSchema>(),
        collect_schemas::<Name>(),
        collect_schemas::<Version>(),
        collect_schemas::<Number>(),
    ] {
        schemas.extend(derived);
    }
    add_conditions(&mut schemas);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Colonnade admin API",
            "version": "1",
            "summary": "Publish releases, change the live deployment, and read the state and the history.",
            "description": "The API is served on the admin listener. An unknown path returns 404, an unsupported method \
                405 and a host that is not allowed 421, each with a problem document. GET routes also accept HEAD. \
                Undocumented members of a request body are rejected.",
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }, { "session": [] }],
        "tags": [
            { "name": "health", "description": "Health checks, metrics and this description. No token needed." },
            { "name": "releases", "description": "Immutable, versioned builds of sections and of the shell." },
            { "name": "deployments", "description": "Numbered sets of releases. Exactly one is live." },
            { "name": "diagnostics", "description": "Recent errors of a section and its log, at one gateway." },
            { "name": "console", "description": "Sessions and events, for the console in the browser." },
            { "name": "history", "description": "Who changed what, when and why." },
            { "name": "previews", "description": "Links to deployments that are not live." },
            { "name": "upstreams", "description": "The backends of sections, and the cache of their responses, at one gateway." },
            { "name": "garbage collection", "description": "Deleting deployments and releases that are no longer needed." },
        ],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token of the configuration. It permits the actions publish, deploy, rollback, \
                        preview, garbage_collect, purge and metrics on certain sections. Operations without an action accept \
                        every known token.",
                },
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": COOKIE,
                    "description": "The cookie that starting a session sets. It permits what the token of the session \
                        permits, to pages of this listener only. Over TLS its name begins with `__Host-`.",
                },
            },
            "parameters": {
                "name": parameter("path", "name", "The section, or `shell`.", &reference("Name")),
                "version": parameter("path", "version", "The version of the release.", &reference("Version")),
                "number": parameter("path", "number", "The number of the candidate.", &reference("Number")),
            },
            "responses": operation::error_responses(),
            "schemas": schemas,
        },
    })
}

/// Adds the conditions between members that types cannot express.
fn add_conditions(schemas: &mut Map<String, Value>) {
    let mut add = |name: &str, keyword: &str, condition: Value| {
        if let Some(schema) = schemas.get_mut(name) {
            schema[keyword] = condition;
        }
    };
    for name in ["ChangeResult", "PromoteResult"] {
        add(name, "if", json!({ "properties": { "live": { "const": true } } }));
        add(name, "then", json!({ "properties": { "percent": false } }));
        add(name, "else", json!({ "required": ["percent"] }));
    }
    // The store accepts unknown fields in them, but they are never served.
    for name in ["Change", "Deployment", "ReleaseChange"] {
        add(name, "additionalProperties", false.into());
    }
    add(
        "Rollback",
        "not",
        json!({ "required": ["section", "deployment"] }),
    );
    add("Deploy", "not", json!({ "required": ["percent", "steps"] }));
    let either = json!([{ "required": ["deployment"] }, { "required": ["releases"] }]);
    add("CreatePreview", "oneOf", either);
    // False is not serialized.
    if let Some(preview) = schemas
        .get_mut("Deployment")
        .and_then(|schema| schema.pointer_mut("/properties/preview"))
    {
        preview["const"] = true.into();
    }
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use http::Method;
    use serde_json::{Value, json};

    use super::description;
    use colonnade_web::router::Route;

    use crate::routes::{Endpoint, routes};

    /// HEAD is implied by GET.
    const METHODS: [Method; 8] = [
        Method::GET,
        Method::PUT,
        Method::POST,
        Method::DELETE,
        Method::PATCH,
        Method::OPTIONS,
        Method::TRACE,
        Method::CONNECT,
    ];

    /// All routes except the files of the console, which are no calls.
    fn described_routes() -> impl Iterator<Item = Route<Endpoint>> {
        routes().filter(|route| !matches!(route.handler, Endpoint::Console))
    }

    /// The operations of a path item, by method.
    fn operations(item: &Value) -> impl Iterator<Item = (&String, &Value)> {
        let fields = item.as_object().unwrap().iter();
        fields.filter(|(key, _)| *key != "parameters")
    }

    #[test]
    fn paths_and_methods_equal_route_table() {
        let description = description();
        let paths = description["paths"].as_object().unwrap().iter();
        let described: BTreeMap<&str, BTreeSet<String>> = paths
            .map(|(path, item)| {
                let methods = operations(item).map(|(method, _)| method.clone());
                (path.as_str(), methods.collect())
            })
            .collect();
        let served = described_routes().map(|route| {
            let methods = METHODS.iter().filter(|method| route.methods.allow(method));
            let methods = methods.map(|method| method.as_str().to_ascii_lowercase());
            (route.pattern, methods.collect())
        });
        assert_eq!(described, served.collect());
    }

    #[test]
    fn only_open_routes_need_no_token() {
        let description = description();
        assert_eq!(
            description["security"],
            json!([{ "token": [] }, { "session": [] }])
        );
        for route in described_routes() {
            let pattern = route.pattern;
            assert_eq!(route.name, pattern.replace('{', ":").replace('}', ""));
            for (method, operation) in operations(&description["paths"][pattern]) {
                let security = &operation["security"];
                match route.handler {
                    Endpoint::Api(_) => assert_ne!(security, &json!([]), "{method} {pattern}"),
                    Endpoint::Metrics => {
                        assert_eq!(
                            security,
                            &json!([{}, { "token": ["metrics"] }, { "session": ["metrics"] }])
                        );
                    }
                    Endpoint::Console => unreachable!("not described"),
                    Endpoint::Open(_) => assert_eq!(security, &json!([]), "{method} {pattern}"),
                }
            }
        }
    }

    #[test]
    fn references_resolve() {
        fn check(value: &Value, description: &Value) {
            if let Some(reference) = value["$ref"].as_str() {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(description.pointer(pointer).is_some(), "{reference}");
            }
            match value {
                Value::Array(items) => items.iter().for_each(|item| check(item, description)),
                Value::Object(fields) => fields.values().for_each(|field| check(field, description)),
                _ => {}
            }
        }
        let description = description();
        check(&description, &description);
    }
}
