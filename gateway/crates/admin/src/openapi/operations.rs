//! The operations of the admin API.

use serde_json::{Value, json};

use colonnade_config::Action;
use colonnade_diagnostics::MAX_MINUTES;
use colonnade_model::schema::MAX_INTEGER;

use super::operation::{Operation, content, parameter, problem_content};
use crate::change::ChangeResult;
use crate::deployments::{Deploy, DeploymentList};
use crate::garbage_collection::{GarbageCollection, GarbageCollectionResult};
use crate::gateway::GatewayDescription;
use crate::history::HistoryPage;
use crate::previews::{CreatePreview, PreviewLink};
use crate::purge::{Purge, PurgeResult};
use crate::releases::{PublishResult, ReleaseDescription, Section};
use crate::rollback::{Rollback, RollbackPreview};
use crate::rollouts::{Abort, AbortResult, Pause, PauseResult, Promote, PromoteResult, Rollout};
use crate::section_errors::SectionErrors;
use crate::section_logs::{MAX_WAIT_SECONDS, SectionLogPage};
use crate::session::SessionDescription;
use crate::traffic::TrafficPage;

/// All operations, by path and method.
pub(super) fn operations() -> Vec<(&'static str, Vec<(&'static str, Operation)>)> {
    vec![
        ("/healthz", vec![("get", liveness())]),
        ("/readyz", vec![("get", readiness())]),
        ("/metrics", vec![("get", metrics())]),
        ("/api/v1/openapi.json", vec![("get", openapi())]),
        (
            "/api/v1/sections/{name}/releases/{version}",
            vec![("get", describe_release()), ("put", publish())],
        ),
        (
            "/api/v1/session",
            vec![
                ("get", read_session()),
                ("post", sign_in()),
                ("delete", sign_out()),
            ],
        ),
        ("/api/v1/events", vec![("get", stream_events())]),
        ("/api/v1/gateway", vec![("get", describe_gateway())]),
        ("/api/v1/traffic", vec![("get", read_traffic())]),
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
            "/api/v1/deployments/{number}/pause",
            vec![("post", pause("pause"))],
        ),
        (
            "/api/v1/deployments/{number}/resume",
            vec![("post", resume("resume"))],
        ),
        ("/api/v1/rollouts", vec![("get", list_rollouts())]),
        (
            "/api/v1/rollouts/{name}/promote",
            vec![("post", promote("promoteSection"))],
        ),
        (
            "/api/v1/rollouts/{name}/abort",
            vec![("post", abort("abortSection"))],
        ),
        (
            "/api/v1/rollouts/{name}/pause",
            vec![("post", pause("pauseSection"))],
        ),
        (
            "/api/v1/rollouts/{name}/resume",
            vec![("post", resume("resumeSection"))],
        ),
        ("/api/v1/rollback", vec![("post", roll_back())]),
        ("/api/v1/rollback/plan", vec![("post", plan_rollback())]),
        ("/api/v1/history", vec![("get", history())]),
        (
            "/api/v1/previews",
            vec![("post", preview()), ("delete", end_previews())],
        ),
        ("/api/v1/garbage-collection", vec![("post", collect_garbage())]),
        ("/api/v1/upstreams/purge", vec![("post", purge())]),
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
    let ready = json!({ "type": "string", "pattern": "^(ready|degraded: [a-z0-9,:; -]+)\n$" });
    let ready = content("text/plain; charset=utf-8", &ready);
    let not_ready = json!({ "enum": ["no live deployment\n", "shutting down\n"] });
    let not_ready = content("text/plain; charset=utf-8", &not_ready);
    Operation::new("health", "ready", "Check that the gateway is ready to serve")
        .without_token()
        .response(
            200,
            "A deployment is live. `degraded` names what visitors miss: the server rendering of pages that are not cached, if no render worker is available, and sections whose releases are missing or damaged; or why the store cannot be read, so that changes are rejected.",
            &ready,
        )
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

fn read_session() -> Operation {
    Operation::new("console", "readSession", "Read what the caller may do")
        .any_token()
        .json::<SessionDescription>(200, "The token's name, sections and actions.")
}

fn sign_in() -> Operation {
    Operation::new("console", "signIn", "Start a session")
        .description(
            "Sets a cookie that browsers send instead of the token. It has the permissions of the token, and lasts twelve \
             hours. A request with the cookie must come from a page of this listener. With a session instead of a token \
             the call changes nothing.",
        )
        .any_token()
        .json::<SessionDescription>(200, "The request has a session already.")
        .json::<SessionDescription>(201, "The session has started.")
}

fn sign_out() -> Operation {
    Operation::new("console", "signOut", "End the session")
        .any_token()
        .empty_response(204, "The session has ended.")
}

fn stream_events() -> Operation {
    let stream = content("text/event-stream", &json!({ "type": "string" }));
    Operation::new("console", "streamEvents", "Learn when to read again")
        .description(
            "Server-sent events named `state`. Their data is a JSON object with the revision of the live state (`revision`), \
             the newest entry of the section log (`entry`) and the current minute of the traffic (`minute`). There is one \
             for each change, and at least one every 5 seconds. The stream ends with the session, when the gateway stops, \
             and after half an hour. At most 64 streams are open, 16 of each token.",
        )
        .any_token()
        .response(200, "The events.", &stream)
        .response(
            503,
            "Too many streams are open, or the gateway shuts down.",
            &problem_content(),
        )
}

fn describe_gateway() -> Operation {
    Operation::new("health", "describeGateway", "Read the state of this gateway")
        .any_token()
        .json::<GatewayDescription>(200, "The state.")
}

fn read_traffic() -> Operation {
    let minutes = json!({ "type": "integer", "minimum": 1, "maximum": MAX_MINUTES, "default": 60 });
    Operation::new("diagnostics", "readTraffic", "Read the traffic of the sections")
        .description(
            "Requests for pages, errors, failures in browsers and latency, by section and track. Each gateway counts from its \
             start, for a day. Long times have longer steps.",
        )
        .parameters(&json!([parameter(
            "query",
            "minutes",
            "The number of minutes until now.",
            &minutes
        )]))
        .any_token()
        .json::<TrafficPage>(200, "The series.")
        .errors(&[400])
}

fn describe_release() -> Operation {
    Operation::new(
        "releases",
        "describeRelease",
        "Read the files and pages of a release",
    )
    .any_token()
    .json::<ReleaseDescription>(200, "The release.")
    .errors(&[400, 404])
}

fn publish() -> Operation {
    Operation::new("releases", "publish", "Publish a release")
        .description(
            "The body is the release folder as a gzipped tar. Everything is validated before anything is stored, and \
             the response contains all problems. Publishing the same release again succeeds, and needs no quota. A version \
             never changes. A section that has used its quota is refused before the body is read, with 422 for what it stores \
             and 429 for the releases of the last 24 hours; `detail` has the use, the quota and what to do.",
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
            "The release is invalid, and `problems` lists all problems; or the store has no room for it by the quota of its \
             section.",
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
    let id = json!({ "type": "integer", "minimum": 0, "maximum": MAX_INTEGER, "default": 0 });
    let seconds = json!({ "type": "integer", "minimum": 0, "maximum": MAX_WAIT_SECONDS, "default": 0 });
    Operation::new("diagnostics", "readSectionLogPage", "Read the log of a section")
        .description(
            "Publishes, trial renders and changes. A release has a trial render when it is published, and again when it is \
             deployed or previewed. To follow the log, repeat the request with the ID of the last entry and a time to wait. \
             Each gateway keeps its last 1000 entries from its start.",
        )
        .parameters(&json!([
            parameter("query", "after", "Return entries with a greater ID only.", &id),
            parameter(
                "query",
                "wait",
                "If there is no entry, how many seconds to wait for one.",
                &seconds
            ),
        ]))
        .any_token()
        .json::<SectionLogPage>(200, "The entries. Empty if the wait ended without an entry.")
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
             is rejected until its rollout is promoted or aborted. A new pattern that takes paths of another live section needs \
             a token for both sections.",
        )
        .action(Action::Deploy)
        .json_body::<Deploy>(true)
        .json::<ChangeResult>(200, "There is nothing to change.")
        .json::<ChangeResult>(201, "The deployment is live, or its rollout has started.")
        .errors(&[409, 422])
}

/// The description that promoting and aborting share. Both select a rollout by its candidate or by a section.
const ONE_ROLLOUT: &str = "Other rollouts continue. The token must permit `deploy` on every section that the rollout changes. \
    Deploys of other sections give the candidate a new number; a section finds its rollout anyway.";

/// What promoting and resuming need in addition.
const ROLLOUT_CLAIMS: &str =
    "It must also permit it on every section whose paths the patterns of the candidate take.";

fn promote(id: &'static str) -> Operation {
    Operation::new(
        "deployments",
        id,
        "Show the candidate of a rollout to more visitors, or to all",
    )
    .description(&format!("{ONE_ROLLOUT} {ROLLOUT_CLAIMS}"))
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

fn list_rollouts() -> Operation {
    Operation::new(
        "deployments",
        "listRollouts",
        "List the running rollouts with their canary analysis",
    )
    .description("Each gateway analyzes the requests that it serves itself, from its start.")
    .any_token()
    .json::<Vec<Rollout>>(200, "The running rollouts, in the order in which they started.")
}

fn pause(id: &'static str) -> Operation {
    Operation::new("deployments", id, "Pause the steps of a rollout")
        .description(ONE_ROLLOUT)
        .action(Action::Deploy)
        .json_body::<Pause>(false)
        .json::<PauseResult>(200, "The share of visitors stays until the rollout is resumed.")
        .errors(&[409])
}

fn resume(id: &'static str) -> Operation {
    Operation::new("deployments", id, "Resume the steps of a paused rollout")
        .description(&format!("{ONE_ROLLOUT} {ROLLOUT_CLAIMS}"))
        .action(Action::Deploy)
        .json_body::<Pause>(false)
        .json::<PauseResult>(200, "The step begins again.")
        .errors(&[409])
}

fn roll_back() -> Operation {
    Operation::new("deployments", "rollBack", "Restore earlier releases")
        .description(
            "With `section`, restores the release that the section had live before; repeating it restores the release before that. \
             Without it, restores all releases of `deployment`, or of the newest earlier live deployment that has other releases than \
             the live one, and none that a rollback removed since. That needs a token \
             for `*` and ends all rollouts. A pattern that takes paths of another live section needs a token for both sections, \
             also if it was live before.",
        )
        .action(Action::Rollback)
        .json_body::<Rollback>(false)
        .json::<ChangeResult>(200, "There is nothing to change.")
        .json::<ChangeResult>(201, "The restored releases are live.")
        .errors(&[404, 409, 422])
}

fn plan_rollback() -> Operation {
    Operation::new("deployments", "planRollback", "Show what a rollback would change")
        .description("Changes nothing. Needs the same token as the rollback.")
        .action(Action::Rollback)
        .json_body::<Rollback>(false)
        .json::<RollbackPreview>(200, "What each section would become.")
        .errors(&[404, 409, 422])
}

fn history() -> Operation {
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": 500, "default": 50 });
    let before = json!({ "type": "integer", "minimum": 1, "maximum": MAX_INTEGER });
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
        .errors(&[409])
}

fn collect_garbage() -> Operation {
    Operation::new("garbage collection", "collectGarbage", "Delete deployments and releases that are no longer needed")
        .description(
            "Retains the last deployments and those that were live recently, as configured, with their releases, recently \
             published releases, the last previous releases of each section, and those that its next rollbacks restore. Needs a \
             token for `*`.",
        )
        .action(Action::GarbageCollect)
        .json_body::<GarbageCollection>(false)
        .json::<GarbageCollectionResult>(200, "What was deleted, or would be with `dryRun`.")
        .errors(&[409])
}

fn purge() -> Operation {
    Operation::new("upstreams", "purge", "Remove responses of upstreams from the cache")
        .description(
            "Removes them from the cache of this gateway. Responses to requests that it has already sent are not stored either. \
             Needs a token for `*`.",
        )
        .action(Action::Purge)
        .json_body::<Purge>(true)
        .json::<PurgeResult>(200, "How many responses were removed.")
}
