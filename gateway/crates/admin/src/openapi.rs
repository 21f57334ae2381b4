//! The OpenAPI description of the admin API. Its schemas are derived from the types that the handlers deserialize and
//! serialize.

mod operation;

use std::sync::LazyLock;

use bytes::Bytes;
use http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::schema::{Name, Number, Version};
use colonnade_web::response::{JSON, Response, response};

use self::operation::{Operation, collect_schemas, content, problem_content};
use crate::change::ChangeResult;
use crate::deployments::{Deploy, DeploymentList};
use crate::garbage_collection::{GarbageCollection, GarbageCollectionResult};
use crate::history::HistoryPage;
use crate::previews::{CreatePreview, PreviewLink};
use crate::releases::{PublishResult, Section};
use crate::rollback::Rollback;
use crate::rollouts::{Abort, AbortResult, Promote, PromoteResult};
use crate::section_errors::SectionErrors;
use crate::section_logs::{MAX_WAIT_SECONDS, SectionLogPage};

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
        "security": [{ "token": [] }],
        "tags": [
            { "name": "health", "description": "Health checks, metrics and this description. No token needed." },
            { "name": "releases", "description": "Immutable, versioned builds of sections and of the shell." },
            { "name": "deployments", "description": "Numbered sets of releases. Exactly one is live." },
            { "name": "diagnostics", "description": "Recent errors of a section and its log, at one gateway." },
            { "name": "history", "description": "Who changed what, when and why." },
            { "name": "previews", "description": "Links to deployments that are not live." },
            { "name": "garbage collection", "description": "Deleting deployments and releases that are no longer needed." },
        ],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token of the configuration. It permits the actions publish, deploy, rollback, \
                        preview, garbage_collect and metrics on certain sections. Operations without an action accept every \
                        known token.",
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
    add(
        "Rollback",
        "not",
        json!({ "required": ["section", "deployment"] }),
    );
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

fn parameter(location: &str, name: &str, description: &str, schema: &Value) -> Value {
    json!({
        "name": name,
        "in": location,
        "required": location == "path",
        "description": description,
        "schema": schema,
    })
}

/// All operations, by path and method.
fn operations() -> Vec<(&'static str, Vec<(&'static str, Operation)>)> {
    vec![
        ("/healthz", vec![("get", liveness())]),
        ("/readyz", vec![("get", readiness())]),
        ("/metrics", vec![("get", metrics())]),
        ("/api/v1/openapi.json", vec![("get", openapi())]),
        (
            "/api/v1/sections/{name}/releases/{version}",
            vec![("put", publish())],
        ),
        ("/api/v1/sections", vec![("get", list_sections())]),
        (
            "/api/v1/sections/{name}/errors",
            vec![("get", list_section_errors())],
        ),
        ("/api/v1/sections/{name}/logs", vec![("get", read_section_logs())]),
        (
            "/api/v1/deployments",
            vec![("get", list_deployments()), ("post", deploy())],
        ),
        (
            "/api/v1/deployments/{number}/promote",
            vec![("post", promote("promote"))],
        ),
        (
            "/api/v1/deployments/{number}/abort",
            vec![("post", abort("abort"))],
        ),
        (
            "/api/v1/rollouts/{name}/promote",
            vec![("post", promote("promoteSection"))],
        ),
        (
            "/api/v1/rollouts/{name}/abort",
            vec![("post", abort("abortSection"))],
        ),
        ("/api/v1/rollback", vec![("post", roll_back())]),
        ("/api/v1/history", vec![("get", history())]),
        (
            "/api/v1/previews",
            vec![("post", preview()), ("delete", end_previews())],
        ),
        ("/api/v1/garbage-collection", vec![("post", collect_garbage())]),
    ]
}

fn plain_text(line: &str) -> Value {
    content(
        "text/plain; charset=utf-8",
        &json!({ "const": format!("{line}\n") }),
    )
}

fn liveness() -> Operation {
    Operation::new("health", "alive", "Check that the process is alive")
        .without_token()
        .response(200, "The process is alive.", &plain_text("ok"))
}

fn readiness() -> Operation {
    let not_ready = json!({ "enum": ["no live deployment\n", "shutting down\n"] });
    let not_ready = content("text/plain; charset=utf-8", &not_ready);
    Operation::new("health", "ready", "Check that the gateway is ready to serve")
        .without_token()
        .response(200, "A deployment is live.", &plain_text("ready"))
        .response(
            503,
            "No deployment is live, or the gateway shuts down.",
            &not_ready,
        )
}

fn metrics() -> Operation {
    let media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let text = content(media_type, &json!({ "type": "string" }));
    Operation::new("health", "metrics", "Read the metrics, for Prometheus")
        .description("Needs no token if the admin listener is on a loopback address.")
        .optional_action(Action::Metrics)
        .response(200, "The metrics in the OpenMetrics text format.", &text)
}

fn openapi() -> Operation {
    let required = ["openapi", "info", "paths", "components"];
    let schema = json!({ "type": "object", "required": required });
    Operation::new("health", "describe", "Read this description")
        .without_token()
        .response(200, "The description.", &content("application/json", &schema))
}

fn publish() -> Operation {
    Operation::new("releases", "publish", "Publish a release")
        .description(
            "The body is the release folder as a gzipped tar. Everything is validated before anything is stored, and \
             the response contains all problems. Publishing the same release again succeeds. A version never changes.",
        )
        .action(Action::Publish)
        .archive_body()
        .json::<PublishResult>(200, "The same release was published before.")
        .json::<PublishResult>(201, "The release is published.")
        .response(
            409,
            "A release with this name and version has, or had, other contents.",
            &problem_content(),
        )
        .response(
            422,
            "The release is invalid; `problems` lists everything that is wrong.",
            &problem_content(),
        )
}

fn list_sections() -> Operation {
    Operation::new(
        "releases",
        "listSections",
        "List the sections and the shell with their releases",
    )
    .any_token()
    .json::<Vec<Section>>(200, "Everything that has a release.")
}

fn list_section_errors() -> Operation {
    Operation::new("diagnostics", "listSectionErrors", "List the recent errors of a section")
        .description(
            "Errors of server-side rendering for visitors, and errors that browsers report. An error has a class, but no \
             message. Each gateway counts from its start, and keeps at most 500 errors of each source.",
        )
        .any_token()
        .json::<SectionErrors>(200, "The errors.")
        .errors(&[400])
}

fn read_section_logs() -> Operation {
    let id = json!({ "type": "integer", "minimum": 0, "default": 0 });
    let seconds = json!({ "type": "integer", "minimum": 0, "maximum": MAX_WAIT_SECONDS, "default": 0 });
    Operation::new("diagnostics", "readSectionLogPage", "Read what recently happened to a section")
        .description(
            "Publishes, trial renders and changes. To follow them, repeat the request with the ID of the last entry and \
             a time to wait. Each gateway keeps its last 1000 entries from its start.",
        )
        .parameters(&json!([
            parameter("query", "after", "Return entries with a greater ID only.", &id),
            parameter(
                "query",
                "wait",
                "How many seconds to wait for an entry, if there is none.",
                &seconds
            ),
        ]))
        .any_token()
        .json::<SectionLogPage>(200, "The entries, or none if nothing happened in time.")
        .response(503, "The gateway shuts down.", &problem_content())
        .errors(&[400])
}

fn list_deployments() -> Operation {
    let summary = "Read the live deployment, the running rollouts and all retained deployments";
    Operation::new("deployments", "listDeployments", summary)
        .any_token()
        .json::<DeploymentList>(200, "All retained deployments.")
}

fn deploy() -> Operation {
    Operation::new("deployments", "deploy", "Deploy releases, for all visitors or as a rollout")
        .description(
            "Creates a deployment: the live releases with the requested ones in their place. During rollouts of other \
             sections, the live deployment and all candidates are replaced, atomically. A section that is being rolled out \
             is rejected until its rollout is promoted or aborted.",
        )
        .action(Action::Deploy)
        .json_body::<Deploy>(true)
        .json::<ChangeResult>(200, "There is nothing to change.")
        .json::<ChangeResult>(201, "The deployment is live, or its rollout has started.")
        .errors(&[409, 422])
}

/// What promoting and aborting have in common. Both find a rollout by the number of its candidate, or by a section.
const ONE_ROLLOUT: &str = "Other rollouts continue. The token must permit `deploy` on every section that the rollout changes. \
    Deploys of other sections give the candidate a new number; a section finds its rollout anyway.";

fn promote(id: &'static str) -> Operation {
    Operation::new(
        "deployments",
        id,
        "Show the candidate of a rollout to more visitors, or to all",
    )
    .description(ONE_ROLLOUT)
    .action(Action::Deploy)
    .json_body::<Promote>(false)
    .json::<PromoteResult>(200, "The candidate is live, or has the new share of visitors.")
    .errors(&[409])
}

fn abort(id: &'static str) -> Operation {
    Operation::new("deployments", id, "Abort a rollout")
        .description(ONE_ROLLOUT)
        .action(Action::Deploy)
        .json_body::<Abort>(false)
        .json::<AbortResult>(200, "No visitor gets the candidate.")
        .errors(&[409])
}

fn roll_back() -> Operation {
    Operation::new("deployments", "rollBack", "Restore earlier releases")
        .description(
            "With `section`, restores the release that the section had live before; repeating it restores the release before that. \
             Without it, restores all releases of `deployment`, or of the previous live deployment. That needs a token \
             for `*` and ends all rollouts.",
        )
        .action(Action::Rollback)
        .json_body::<Rollback>(false)
        .json::<ChangeResult>(200, "There is nothing to change.")
        .json::<ChangeResult>(201, "The restored releases are live.")
        .errors(&[404, 409, 422])
}

fn history() -> Operation {
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": 500, "default": 50 });
    let before = json!({ "type": "integer", "minimum": 1 });
    Operation::new("history", "history", "List all changes, newest first")
        .parameters(&json!([
            parameter(
                "query",
                "limit",
                "The maximum number of changes to return.",
                &limit
            ),
            parameter(
                "query",
                "before",
                "Return changes older than this revision only.",
                &before
            ),
        ]))
        .any_token()
        .json::<HistoryPage>(200, "The changes.")
        .errors(&[400])
}

fn preview() -> Operation {
    Operation::new(
        "previews",
        "preview",
        "Create a link to a deployment that is not live",
    )
    .description("The token must permit `preview` on every section that differs from the live deployment.")
    .action(Action::Preview)
    .json_body::<CreatePreview>(true)
    .json::<PreviewLink>(201, "The link.")
    .errors(&[404, 409, 422])
}

fn end_previews() -> Operation {
    Operation::new("previews", "endPreviews", "End all previews")
        .description("Needs a token for `*`.")
        .action(Action::Preview)
        .empty_response(204, "All preview links and cookies are invalid.")
}

fn collect_garbage() -> Operation {
    Operation::new("garbage collection", "collectGarbage", "Delete deployments and releases that are no longer needed")
        .description(
            "Retains the last deployments and those that were live recently, as configured, with their releases, and \
             recently published releases. Needs a token for `*`.",
        )
        .action(Action::GarbageCollect)
        .json_body::<GarbageCollection>(false)
        .json::<GarbageCollectionResult>(200, "What was deleted, or would be with `dryRun`.")
        .errors(&[409])
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use http::Method;
    use serde_json::{Value, json};

    use super::description;
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
        let served = routes().map(|route| {
            let methods = METHODS.iter().filter(|method| route.methods.allow(method));
            let methods = methods.map(|method| method.as_str().to_ascii_lowercase());
            (route.pattern, methods.collect())
        });
        assert_eq!(described, BTreeMap::from(served));
    }

    #[test]
    fn only_open_routes_need_no_token() {
        let description = description();
        assert_eq!(description["security"], json!([{ "token": [] }]));
        for route in routes() {
            let pattern = route.pattern;
            assert_eq!(route.name, pattern.replace('{', ":").replace('}', ""));
            for (method, operation) in operations(&description["paths"][pattern]) {
                let security = &operation["security"];
                match route.handler {
                    Endpoint::Api(_) => assert_ne!(security, &json!([]), "{method} {pattern}"),
                    Endpoint::Open(_) if pattern == "/metrics" => {
                        assert_eq!(security, &json!([{}, { "token": ["metrics"] }]));
                    }
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
