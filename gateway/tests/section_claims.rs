//! What a section may claim: paths that another section serves, and the global name of its container.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, Response, token};

const CLAIM: &str = "pattern `/state/Texas` of evil takes paths of pattern `/state/:state` of directory";

const ALL: [&str; 4] = ["publish", "deploy", "rollback", "preview"];

/// A live site whose section `directory` serves `/state/:state`. It has a token for each section, and the token `both` for
/// `evil` and `directory`.
fn live_gateway() -> Gateway {
    let tokens = token("evil", &["evil"], &ALL)
        + &token("legal", &["legal"], &ALL)
        + &token("directory", &["directory"], &ALL)
        + &token("both", &["evil", "directory"], &ALL);
    Gateway::start_live(&tokens, &[])
}

fn evil(version: &str, patterns: &[&str]) -> Release {
    Release::section("evil", version, patterns)
}

/// Publishes a release with its own token. It must be accepted. Returns the warnings.
fn publish(gateway: &Gateway, release: &Release) -> Value {
    let target = format!("/api/v1/sections/{}/releases/{}", release.name, release.version);
    let request = Request::new("PUT", &target).body(release.archive());
    let response = gateway.admin_request_as(&release.name, request);
    assert_eq!(response.status, 201, "{}", response.text());
    response.json()["warnings"].take()
}

fn post(gateway: &Gateway, token: &str, target: &str, body: &Value) -> Response {
    gateway.admin_request_as(token, Request::new("POST", target).body(body.to_string()))
}

fn deploy(gateway: &Gateway, token: &str, releases: &Value) -> Response {
    let body = json!({ "releases": releases });
    post(gateway, token, "/api/v1/deployments", &body)
}

fn assert_changed(response: &Response) {
    assert!(response.status < 300, "{}", response.text());
}

/// Asserts that a change is refused because `/state/Texas` of `evil` needs a token for `directory`.
fn assert_refused(response: &Response) {
    assert_eq!(response.status, 403, "{}", response.text());
    let problem = response.json();
    assert_eq!(
        problem["detail"],
        "patterns take paths of other sections, so the change needs a token that also covers `directory`"
    );
    assert_eq!(problem["problems"], json!([CLAIM]));
}

/// The section that serves a path of the live deployment.
fn owner(gateway: &Gateway, path: &str) -> Value {
    gateway.get(path).boot()["page"]["section"]["name"].clone()
}

#[test]
fn pattern_inside_another_section_needs_token_for_both() {
    let gateway = live_gateway();
    let warnings = publish(&gateway, &evil("1.0.0", &["/evil", "/state/Texas"]));
    assert_eq!(
        warnings,
        json!([format!(
            "{CLAIM}; a deploy needs a token that covers both sections"
        )])
    );
    let release = json!({ "evil": "1.0.0" });
    let before = gateway.admin_get("/api/v1/deployments");
    assert_refused(&deploy(&gateway, "evil", &release));
    let rollout = json!({ "releases": release, "percent": 5 });
    assert_refused(&post(&gateway, "evil", "/api/v1/deployments", &rollout));
    let steps = json!({ "releases": release, "steps": "5% for 1h, 100%" });
    assert_refused(&post(&gateway, "evil", "/api/v1/deployments", &steps));
    assert_eq!(gateway.admin_get("/api/v1/deployments"), before);
    assert_eq!(owner(&gateway, "/state/Texas"), "directory");
    // A preview is neither live nor a candidate.
    let preview = json!({ "releases": release });
    assert_changed(&post(&gateway, "evil", "/api/v1/previews", &preview));

    assert_changed(&deploy(&gateway, "both", &release));
    assert_eq!(owner(&gateway, "/state/Texas"), "evil");
    assert_eq!(owner(&gateway, "/state/Ohio"), "directory");
}

#[test]
fn pattern_that_is_live_needs_no_second_token() {
    let gateway = live_gateway();
    publish(&gateway, &evil("1.0.0", &["/state/Texas"]));
    assert_changed(&deploy(&gateway, "both", &json!({ "evil": "1.0.0" })));
    let next = evil("1.1.0", &["/state/Texas", "/evil"]);
    assert_eq!(publish(&gateway, &next), json!([]));
    assert_changed(&deploy(&gateway, "evil", &json!({ "evil": "1.1.0" })));
    // `directory` gets back what `evil` gives up.
    publish(&gateway, &evil("1.2.0", &["/evil"]));
    assert_changed(&deploy(&gateway, "evil", &json!({ "evil": "1.2.0" })));
    assert_eq!(owner(&gateway, "/state/Texas"), "directory");
}

#[test]
fn rollback_to_claimed_pattern_needs_token_for_both() {
    let gateway = live_gateway();
    publish(&gateway, &evil("1.0.0", &["/state/Texas"]));
    assert_changed(&deploy(&gateway, "both", &json!({ "evil": "1.0.0" })));
    publish(&gateway, &evil("1.1.0", &["/evil"]));
    assert_changed(&deploy(&gateway, "evil", &json!({ "evil": "1.1.0" })));
    let rollback = json!({ "section": "evil" });
    assert_refused(&post(&gateway, "evil", "/api/v1/rollback/plan", &rollback));
    assert_refused(&post(&gateway, "evil", "/api/v1/rollback", &rollback));
    assert_eq!(owner(&gateway, "/evil"), "evil");
    assert_changed(&post(&gateway, "both", "/api/v1/rollback", &rollback));
    assert_eq!(owner(&gateway, "/state/Texas"), "evil");
}

#[test]
fn promote_of_claimed_pattern_needs_token_for_both() {
    let gateway = live_gateway();
    publish(&gateway, &evil("1.0.0", &["/state/Texas"]));
    let rollout = json!({ "releases": { "evil": "1.0.0" }, "steps": "5% for 1h, 100%" });
    let start = || assert_changed(&post(&gateway, "both", "/api/v1/deployments", &rollout));
    let call = |token: &str, action: &str, body: &Value| {
        post(&gateway, token, &format!("/api/v1/rollouts/evil/{action}"), body)
    };
    start();
    assert_refused(&call("evil", "promote", &json!({})));
    assert_refused(&call("evil", "promote", &json!({ "percent": 99 })));
    // The holder of one of the tokens can stop the rollout.
    assert_changed(&call("evil", "pause", &json!({})));
    assert_refused(&call("evil", "resume", &json!({})));
    assert_changed(&call("evil", "abort", &json!({})));
    start();
    // A change of another section claims nothing, although the candidate does.
    publish(&gateway, &Release::section("legal", "1.0.0", &["/terms"]));
    assert_changed(&deploy(&gateway, "legal", &json!({ "legal": "1.0.0" })));
    assert_changed(&call("both", "promote", &json!({})));
    assert_eq!(owner(&gateway, "/state/Texas"), "evil");
}

#[test]
fn pattern_that_takes_no_paths_needs_one_token() {
    let gateway = live_gateway();
    for (version, pattern) in [
        // Static segments of `/state/:state` take precedence.
        ("1.0.0", "/:any/Texas"),
        ("1.1.0", "/:a/:b"),
        ("1.2.0", "/state/Texas/cities"),
        ("1.3.0", "/states"),
    ] {
        assert_eq!(publish(&gateway, &evil(version, &[pattern])), json!([]));
        assert_changed(&deploy(&gateway, "evil", &json!({ "evil": version })));
        assert_eq!(owner(&gateway, "/state/Texas"), "directory");
    }
    // Parameters reserve no paths, and `evil` gets what `directory` gives up.
    publish(&gateway, &evil("2.0.0", &["/:a", "/:a/:b"]));
    assert_changed(&deploy(&gateway, "evil", &json!({ "evil": "2.0.0" })));
    publish(&gateway, &Release::section("legal", "1.0.0", &["/terms"]));
    assert_changed(&deploy(&gateway, "legal", &json!({ "legal": "1.0.0" })));
    assert_eq!(owner(&gateway, "/terms"), "legal");
    let next = Release::section("directory", "1.1.0", &["/"]);
    assert_eq!(publish(&gateway, &next), json!([]));
    assert_changed(&deploy(&gateway, "directory", &json!({ "directory": "1.1.0" })));
    assert_eq!(owner(&gateway, "/state/Texas"), "evil");
}

#[test]
fn crossing_pattern_that_wins_needs_token_for_both() {
    let gateway = live_gateway();
    publish(&gateway, &Release::section("legal", "1.0.0", &["/:place/terms"]));
    assert_changed(&deploy(&gateway, "legal", &json!({ "legal": "1.0.0" })));
    publish(&gateway, &evil("1.0.0", &["/Texas/:topic"]));
    let response = deploy(&gateway, "evil", &json!({ "evil": "1.0.0" }));
    assert_eq!(response.status, 403, "{}", response.text());
    assert_eq!(owner(&gateway, "/Texas/terms"), "legal");
}

#[test]
fn container_names_of_others_and_of_browsers_are_rejected() {
    let gateway = live_gateway();
    let copy = evil("0.1.0", &["/evil"]).with("container", json!("directory_1"));
    let problem = "container `directory_1` is used by both directory and evil";
    assert_eq!(
        publish(&gateway, &copy),
        json!([format!("a deploy now would be rejected: {problem}")])
    );
    let response = deploy(&gateway, "evil", &json!({ "evil": "0.1.0" }));
    assert_eq!(response.status, 409, "{}", response.text());
    assert_eq!(response.json()["problems"], json!([problem]));
    for name in [
        "constructor",
        "toString",
        "__proto__",
        "__defineGetter__",
        "window",
        "fetch",
        "webkitURL",
        "_FEDERATION_RUNTIME_CORE",
    ] {
        let release = evil("1.0.0", &["/evil"]).with("container", json!(name));
        let response = gateway.put_release("evil", "1.0.0", release.archive());
        assert_eq!(response.status, 422, "{name}");
        assert_eq!(
            response.json()["problems"],
            json!([format!(
                "container `{name}` of evil could be a name of the language, the browser or the shell: expected a name that \
                 has `_`, but not as its first character, such as `evil_1`"
            )])
        );
    }
}
