//! The OpenAPI description of the admin API: the descriptions of the handlers, and what they share.
//! The schemas are derived from the types that the handlers deserialize and serialize.

use std::sync::OnceLock;

use bytes::Bytes;
use http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use colonnade_model::schema::Number;
use colonnade_web::response::{JSON, Response, response};

use crate::operation::Operation;
use crate::sessions::COOKIE;

/// Read this description
#[utoipa::path(
    get, path = "/api/v1/openapi.json", tag = "health", operation_id = "describe", security(),
    responses((status = 200, body = inline(Described), description = "The description.")),
)]
pub(super) fn respond(operations: fn() -> Vec<Operation>) -> Response {
    static DESCRIPTION: OnceLock<Bytes> = OnceLock::new();
    let description = DESCRIPTION.get_or_init(|| description(operations()).to_string().into());
    response(StatusCode::OK, JSON, description.clone())
}

/// The members that every description has.
#[derive(Serialize, ToSchema)]
struct Described {
    openapi: String,
    info: Value,
    paths: Value,
    components: Value,
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

fn description(operations: Vec<Operation>) -> Value {
    let problem = (
        "Problem".to_owned(),
        json!(<ProblemSchema as utoipa::PartialSchema>::schema()),
    );
    let mut schemas: Map<String, Value> = [problem].into_iter().collect();
    let mut paths = json!({});
    for operation in operations {
        let Some(describe) = operation.describe else {
            continue;
        };
        let (mut described, referenced) = describe();
        if operation.path.starts_with("/api/v1/rollouts/{name}/") {
            described.operation_id = described.operation_id.map(|id| format!("{id}Section"));
        }
        schemas.extend(referenced.into_iter().map(|(name, schema)| (name, json!(schema))));
        let method = json!(operation.method);
        let item = &mut paths[&*operation.path];
        let names = ["name", "version", "number"].into_iter();
        let parameters = names.filter(|name| operation.path.contains(&format!("{{{name}}}")));
        let parameters: Vec<Value> = parameters.map(|name| reference("parameters", name)).collect();
        let described = complete(json!(described), !parameters.is_empty());
        if !parameters.is_empty() {
            item["parameters"] = parameters.into();
        }
        item[method.as_str().unwrap_or_default()] = described;
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
            { "name": "extensions", "description": "What sections contribute to extension points, and which of it pages show." },
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
                    "description": "A token of the configuration, or an ID token of one of its identity providers. It permits the actions publish, deploy, rollback, \
                        preview, garbage_collect, purge, audit and metrics on certain sections. Operations without an action accept \
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
                "name": parameter("name", "The section, or `shell`.", "Name"),
                "version": parameter("version", "The version of the release.", "Version"),
                "number": parameter("number", "The number of the candidate.", "Number"),
            },
            "responses": error_responses(),
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

/// Adds what the handlers do not repeat: the common errors, and that a session permits what its
/// token permits.
fn complete(mut operation: Value, has_parameters: bool) -> Value {
    let mut errors = match operation.get_mut("security").and_then(Value::as_array_mut) {
        None => vec![401, 403, 429, 500, 503],
        Some(security) => complete_security(security),
    };
    if let Some(body) = operation.get_mut("requestBody") {
        complete_body(body);
        errors.extend([400, 408, 413]);
    }
    if has_parameters || operation.get("parameters").is_some() {
        errors.push(400);
    }
    let responses = &mut operation["responses"];
    for (status, name, _) in ERRORS {
        let status_text = status.to_string();
        let described = responses.get_mut(&status_text);
        let is_common = match &described {
            Some(described) => described.get("description").is_none(),
            None => errors.contains(&status),
        };
        if is_common {
            responses[status_text] = reference("responses", name);
        } else if let Some(described) = described.filter(|described| described.get("content").is_none()) {
            described["content"] = problem_content();
        }
    }
    operation
}

/// Adds the session to each token, and returns the common errors.
fn complete_security(security: &mut Vec<Value>) -> Vec<u16> {
    let tokens = security.iter().filter_map(|requirement| requirement.get("token"));
    let sessions: Vec<Value> = tokens.map(|actions| json!({ "session": actions })).collect();
    security.extend(sessions);
    match security.first() {
        None => Vec::new(),
        // Without a token only at some addresses of the listener.
        Some(first) if *first == json!({}) => vec![401, 403, 429, 503],
        Some(_) => vec![401, 403, 429, 500, 503],
    }
}

/// Makes a body of an optional type one that may be absent, but not null.
fn complete_body(body: &mut Value) {
    if let Some(schema) = body.pointer_mut("/content/application~1json/schema")
        && let Some(schema_if_present) = schema.pointer_mut("/oneOf/0").map(Value::take)
    {
        *schema = schema_if_present;
        body["required"] = false.into();
    }
}

/// The common error responses: status, name and description.
const ERRORS: [(u16, &str, &str); 11] = [
    (400, "BadRequest", "The path, the query or the body is invalid."),
    (
        401,
        "Unauthorized",
        "The bearer token or the session is missing, unknown or expired, or the ID token is not accepted; `detail` says why.",
    ),
    (
        403,
        "Forbidden",
        "The token does not permit this action on every section that it affects, no grant applies to the ID token, or a page of another origin sent the request with the cookie of a session.",
    ),
    (
        404,
        "NotFound",
        "The deployment, the release or the extension does not exist.",
    ),
    (408, "RequestTimeout", "The body did not arrive in time."),
    (
        409,
        "Conflict",
        "The live deployment or the running rollouts do not permit the change, or this gateway only reads the store; `detail` says why.",
    ),
    (413, "ContentTooLarge", "The body is too large."),
    (
        422,
        "UnprocessableContent",
        "A requested release is not published or reads settings that the configuration does not have, or \
         has with another type, a section to remove is not deployed, or pages cannot be rendered.",
    ),
    (
        429,
        "TooManyRequests",
        "The client sent too many requests without a valid bearer token. Retry-After says when to try again. A request with a valid token is accepted, except for a publish of a section that has used its quota of 24 hours.",
    ),
    (
        500,
        "InternalServerError",
        "The store failed. The change was not made; the log contains the cause.",
    ),
    (
        503,
        "ServiceUnavailable",
        "The gateway cannot do this now: the store or the identity provider cannot be reached, another process holds the lock of the store for too long, too many requests or publishes run at the same time, or memory is short. `detail` says which, and `Retry-After` when to try again.",
    ),
];

fn error_responses() -> Map<String, Value> {
    let responses = ERRORS.map(|(status, name, description)| {
        let mut response = json!({ "description": description, "content": problem_content() });
        let header = |schema: Value| json!({ "required": true, "schema": schema });
        match status {
            401 => response["headers"]["WWW-Authenticate"] = header(json!({ "const": "Bearer" })),
            429 | 503 => {
                let seconds = json!({ "type": "string", "pattern": "^[1-9][0-9]*$" });
                response["headers"]["Retry-After"] = header(seconds);
            }
            _ => {}
        }
        (name.to_owned(), response)
    });
    responses.into_iter().collect()
}

fn problem_content() -> Value {
    json!({ "application/problem+json": { "schema": reference("schemas", "Problem") } })
}

/// A parameter in the path.
fn parameter(name: &str, description: &str, schema: &str) -> Value {
    let schema = reference("schemas", schema);
    json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema })
}

fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use http::Method;
    use serde_json::{Value, json};

    use super::description;
    use crate::operation::Endpoint;
    use crate::routes::{operations, routes};

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

    #[test]
    fn paths_and_methods_equal_route_table() {
        let description = description(operations());
        let paths = description["paths"].as_object().unwrap().iter();
        let described: BTreeMap<String, BTreeSet<String>> = paths
            .map(|(path, item)| {
                let methods = item.as_object().unwrap().keys();
                let methods = methods.filter(|key| *key != "parameters");
                (path.clone(), methods.cloned().collect())
            })
            .collect();
        // The files of the console are no calls.
        let served = routes().filter(|route| !route.pattern.starts_with("/console"));
        let served = served.map(|route| {
            assert_eq!(route.name, route.pattern.replace('{', ":").replace('}', ""));
            let methods = METHODS.iter().filter(|method| route.methods.allow(method));
            let methods = methods.map(|method| method.as_str().to_ascii_lowercase());
            (route.pattern.into_owned(), methods.collect())
        });
        assert_eq!(described, served.collect());
    }

    #[test]
    fn only_open_routes_need_no_token() {
        let description = description(operations());
        assert_eq!(
            description["security"],
            json!([{ "token": [] }, { "session": [] }])
        );
        for operation in operations() {
            let method = json!(operation.method);
            let described = &description["paths"][&*operation.path][method.as_str().unwrap()];
            let security = &described["security"];
            match operation.endpoint {
                Endpoint::Api(_) => assert_ne!(security, &json!([]), "{}", operation.path),
                Endpoint::Metrics => {
                    assert_eq!(
                        security,
                        &json!([{}, { "token": ["metrics"] }, { "session": ["metrics"] }])
                    );
                }
                Endpoint::Console => assert!(described.is_null()),
                Endpoint::Open(_) | Endpoint::SignIn(_) => {
                    assert_eq!(security, &json!([]), "{}", operation.path);
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
        let description = description(operations());
        check(&description, &description);
    }
}
