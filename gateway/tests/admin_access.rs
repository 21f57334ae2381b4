//! Who may use the admin API, and how it refuses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Certificate, Gateway, Release, Request, Response, Setup, TOKEN, description, token};

fn assert_problem(answer: &Response, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "application/problem+json");
    let problem = answer.json();
    assert_eq!(problem["status"], status);
    for field in ["type", "title", "detail"] {
        assert!(problem[field].is_string(), "{problem}");
    }
}

#[test]
fn without_a_known_token_nothing_is_told() {
    let gateway = Gateway::start();
    let wrong = [
        "",
        "Bearer",
        "Bearer ",
        "Bearer nonsense",
        "Basic dXNlcjpwYXNz",
        TOKEN,
    ];
    let without = gateway.ask_admin(Request::new("GET", "/api/v1/sections"));
    assert_problem(&without, 401);
    assert_eq!(without.header("www-authenticate"), "Bearer");
    for authorization in wrong {
        for (method, target) in [
            ("GET", "/api/v1/sections"),
            ("GET", "/api/v1/deployments"),
            ("POST", "/api/v1/deployments"),
            ("PUT", "/api/v1/sections/legal/releases/1.0.0"),
        ] {
            let request = Request::new(method, target).header("authorization", authorization);
            assert_problem(&gateway.ask_admin(request), 401);
        }
    }
}

const ACTIONS: [&str; 6] = ["publish", "deploy", "rollback", "preview", "collect", "metrics"];

/// A call that changes something.
struct Call {
    method: &'static str,
    target: &'static str,
    /// As the API's description has it.
    route: &'static str,
    body: Vec<u8>,
    /// What a token must be good for.
    section: &'static str,
}

impl Call {
    fn post(target: &'static str, body: &Value, section: &'static str) -> Self {
        let route = match target {
            "/api/v1/deployments/4/promote" => "/api/v1/deployments/{number}/promote",
            "/api/v1/deployments/4/abort" => "/api/v1/deployments/{number}/abort",
            target => target,
        };
        Self {
            method: "POST",
            target,
            route,
            body: body.to_string().into(),
            section,
        }
    }

    fn as_(&self, gateway: &Gateway, token: &str) -> Response {
        gateway.operate_as(
            token,
            Request::new(self.method, self.target).body(self.body.clone()),
        )
    }

    /// The action that the API's description says it needs.
    fn action(&self, gateway: &Gateway) -> String {
        let description = gateway.ask("/api/v1/openapi.json");
        let operation = &description["paths"][self.route][self.method.to_lowercase()];
        let security = operation["security"].as_array().unwrap();
        let actions = security[0]["token"].as_array().unwrap();
        assert_eq!(
            (security.len(), actions.len()),
            (1, 1),
            "{} {}",
            self.method,
            self.route
        );
        actions[0].as_str().unwrap().to_owned()
    }
}

/// Every call that changes something, as it can be made with deployment 3 live, or with 4 rolled out.
fn calls(is_rollout: bool) -> Vec<Call> {
    let legal = json!({ "legal": "1.0.0" });
    if is_rollout {
        return vec![
            Call::post(
                "/api/v1/deployments/4/promote",
                &json!({ "percent": 20 }),
                "legal",
            ),
            Call::post("/api/v1/deployments/4/abort", &json!({}), "legal"),
        ];
    }
    vec![
        Call {
            method: "PUT",
            target: "/api/v1/sections/legal/releases/3.0.0",
            route: "/api/v1/sections/{name}/releases/{version}",
            body: Release::section("legal", "3.0.0", &["/terms"]).archive(),
            section: "legal",
        },
        Call::post("/api/v1/previews", &json!({ "deployment": 1 }), "legal"),
        Call::post("/api/v1/previews", &json!({ "releases": legal }), "legal"),
        Call {
            method: "DELETE",
            target: "/api/v1/previews",
            route: "/api/v1/previews",
            body: Vec::new(),
            section: "*",
        },
        Call::post("/api/v1/collect", &json!({ "dryRun": true }), "*"),
        Call::post("/api/v1/collect", &json!({}), "*"),
        Call::post("/api/v1/rollback", &json!({ "section": "legal" }), "legal"),
        Call::post(
            "/api/v1/deployments",
            &json!({ "releases": { "legal": "2.0.0" } }),
            "legal",
        ),
        Call::post("/api/v1/rollback", &json!({}), "*"),
        Call::post("/api/v1/rollback", &json!({ "deployment": 1 }), "*"),
        Call::post(
            "/api/v1/deployments",
            &json!({ "releases": legal, "percent": 5 }),
            "legal",
        ),
    ]
}

/// A gateway with a token for each action on `legal`, on `articles` and on everything, and `legal` deployed twice.
fn with_all_tokens() -> Gateway {
    let mut extra = String::new();
    for section in ["legal", "articles", "*"] {
        for action in ACTIONS {
            extra += &token(&format!("{action} {section}"), &[section], &[action]);
        }
        for left_out in ACTIONS {
            let others: Vec<&str> = ACTIONS.into_iter().filter(|action| *action != left_out).collect();
            extra += &token(&format!("not {left_out} {section}"), &[section], &others);
        }
    }
    let gateway = Gateway::start_live(&extra, &[]);
    for version in ["1.0.0", "2.0.0"] {
        gateway.publish(&Release::section("legal", version, &["/terms"]));
        gateway.deploy(&json!({ "legal": version }));
    }
    gateway
}

/// Everything a store holds.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    all
}

/// Makes a call with every token there is that does not allow it, then with the one that does.
fn assert_guarded(gateway: &Gateway, call: &Call) {
    let what = format!("{} {}", call.method, call.target);
    let before = contents(&gateway.store());
    let request = Request::new(call.method, call.target).body(call.body.clone());
    assert_problem(&gateway.ask_admin(request), 401);
    assert_problem(&call.as_(gateway, "unknown"), 401);
    let action = call.action(gateway);
    let wrong_section = if call.section == "*" { "legal" } else { "articles" };
    let mut wrong = vec![format!("{action} {wrong_section}"), format!("{action} articles")];
    for section in ["legal", "articles", "*"] {
        wrong.push(format!("not {action} {section}"));
        let others = ACTIONS.into_iter().filter(|other| *other != action);
        wrong.extend(others.map(|other| format!("{other} {section}")));
    }
    for token in wrong {
        let answer = call.as_(gateway, &token);
        assert_eq!(answer.status, 403, "{what} with a token to {token}");
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        let expected = format!("the token `name of {token}` does not allow to {action} `");
        assert!(detail.starts_with(&expected), "{detail}");
    }
    assert!(
        before == contents(&gateway.store()),
        "{what} was refused and changed something"
    );
    let answer = call.as_(gateway, &format!("{action} {}", call.section));
    assert!(answer.status < 300, "{what}: {}", answer.text());
}

#[test]
fn a_token_does_only_what_it_is_for() {
    let gateway = with_all_tokens();
    for call in calls(false) {
        assert_guarded(&gateway, &call);
    }
    let gateway = with_all_tokens();
    let rollout = json!({ "releases": { "legal": "1.0.0" }, "percent": 10 });
    gateway.post_deployment(&rollout);
    for call in calls(true) {
        assert_guarded(&gateway, &call);
    }
}

#[test]
fn every_section_of_a_change_must_be_allowed() {
    let gateway = with_all_tokens();
    let both = json!({ "releases": { "legal": "1.0.0", "directory": null } });
    for (token, target) in [
        ("deploy legal", "/api/v1/deployments"),
        ("preview legal", "/api/v1/previews"),
    ] {
        let answer = gateway.operate_as(token, Request::new("POST", target).body(both.to_string()));
        assert_problem(&answer, 403);
        assert!(answer.json()["detail"].as_str().unwrap().ends_with("`directory`"));
    }
    // A rollout is promoted and aborted by whoever may touch all that it changes.
    let mut wish = both;
    wish["percent"] = json!(10);
    assert_eq!(gateway.post_deployment(&wish).status, 201);
    for way in ["promote", "abort"] {
        let target = format!("/api/v1/deployments/4/{way}");
        let answer = gateway.operate_as("deploy legal", Request::new("POST", &target).body("{}"));
        assert_problem(&answer, 403);
    }
    assert_eq!(gateway.ask("/api/v1/deployments")["rollout"]["percent"], 10);
}

#[test]
fn a_wish_for_nothing_needs_a_token_for_wishes() {
    let gateway = with_all_tokens();
    for (action, target) in [("deploy", "/api/v1/deployments"), ("preview", "/api/v1/previews")] {
        let wish = || Request::new("POST", target).body("{\"releases\":{}}");
        assert_problem(&gateway.operate_as(&format!("not {action} *"), wish()), 403);
        let answer = gateway.operate_as(&format!("{action} legal"), wish());
        assert!(answer.status < 300, "{}", answer.text());
    }
}

#[test]
fn any_known_token_reads() {
    let gateway = with_all_tokens();
    for target in ["/api/v1/sections", "/api/v1/deployments", "/api/v1/history"] {
        assert_problem(&gateway.ask_admin(Request::new("GET", target)), 401);
        assert_problem(&gateway.operate_as("unknown", Request::new("GET", target)), 401);
        for action in ACTIONS {
            let answer = gateway.operate_as(&format!("{action} articles"), Request::new("GET", target));
            assert_eq!(answer.status, 200);
        }
    }
}

#[test]
fn the_scheme_is_read_in_any_case() {
    let gateway = Gateway::start();
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let request =
            Request::new("GET", "/api/v1/sections").header("authorization", &format!("{scheme} {TOKEN}"));
        assert_eq!(gateway.ask_admin(request).status, 200);
    }
}

#[test]
fn unknown_paths_and_methods_are_problems() {
    let gateway = Gateway::start();
    for target in [
        "/",
        "/api",
        "/api/v1/sections/",
        "/api/v1/sections/a",
        "/api/v2/sections",
        "/assets/x",
    ] {
        assert_problem(&gateway.operate(Request::new("GET", target)), 404);
    }
    assert_problem(&gateway.operate(Request::new("GET", "/api/v1/%zz")), 400);
    for (method, target, allowed) in [
        ("DELETE", "/api/v1/sections", "GET, HEAD, OPTIONS"),
        ("PUT", "/api/v1/deployments", "GET, HEAD, POST, OPTIONS"),
        ("GET", "/api/v1/sections/legal/releases/1.0.0", "PUT, OPTIONS"),
        ("POST", "/healthz", "GET, HEAD, OPTIONS"),
    ] {
        let answer = gateway.operate(Request::new(method, target));
        assert_problem(&answer, 405);
        assert_eq!(answer.header("allow"), allowed);
    }
}

#[test]
fn health_needs_no_token() {
    let gateway = Gateway::start();
    for client in [gateway.admin, gateway.site] {
        assert_eq!(client.get("/healthz").status, 200);
        assert_eq!(client.get("/readyz").status, 503);
    }
    gateway.publish(&Release::shell("1.0.0"));
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    for client in [gateway.admin, gateway.site] {
        assert_eq!(client.get("/readyz").status, 200);
    }
}

#[test]
fn the_admin_api_is_not_on_the_site_listener() {
    let gateway = Gateway::start();
    let request = Request::new("GET", "/api/v1/sections").header("authorization", &format!("Bearer {TOKEN}"));
    assert_eq!(gateway.site.send(request).status, 404);
}

/// An admin API that others than this machine can reach, where the marked tokens are known; and its certificate.
fn exposed(tokens: &str) -> (Gateway, Certificate) {
    let folder = Arc::new(TempDir::new().unwrap());
    let certificate = Certificate::new();
    let files = certificate.write(folder.path());
    let gateway = Gateway::set_up(Setup {
        folder: Some(folder),
        admin: Some("0.0.0.0:0"),
        extra: &(files.table("admin_tls") + tokens),
        ..Setup::default()
    });
    (gateway, certificate)
}

#[test]
fn metrics_that_others_can_reach_need_a_token_for_them() {
    let tokens = token("for-metrics", &["*"], &["metrics"]) + &token("for-others", &["*"], &["collect"]);
    let (gateway, certificate) = exposed(&tokens);
    let ask = |authorization: Option<&str>| {
        let request = Request::new("GET", "/metrics");
        let request = match authorization {
            Some(authorization) => request.header("authorization", authorization),
            None => request,
        };
        let answer = certificate.send(&gateway.admin, request.clone()).unwrap();
        description::check(&request, &answer);
        answer
    };
    for unknown in [
        None,
        Some("Bearer unknown"),
        Some("Basic for-metrics"),
        Some("Bearer"),
    ] {
        let answer = ask(unknown);
        assert_eq!(
            (answer.status, answer.header("www-authenticate")),
            (401, "Bearer")
        );
    }
    let answer = ask(Some("Bearer for-others"));
    assert_eq!(answer.status, 403);
    assert!(answer.text().contains("metrics"), "{}", answer.text());
    let answer = ask(Some("Bearer for-metrics"));
    assert_eq!(answer.status, 200);
    assert!(answer.text().contains("colonnade_requests_total"));
    // Health needs none.
    let health = certificate
        .send(&gateway.admin, Request::new("GET", "/healthz"))
        .unwrap();
    assert_eq!(health.status, 200);
}

#[test]
fn a_token_for_metrics_changes_nothing() {
    let gateway = Gateway::start_with(&token("for-metrics", &["*"], &["metrics"]), &[]);
    let collect = Request::new("POST", "/api/v1/collect").body("{}");
    assert_eq!(gateway.operate_as("for-metrics", collect).status, 403);
    assert_eq!(gateway.ask_admin(Request::new("GET", "/metrics")).status, 200);
}
