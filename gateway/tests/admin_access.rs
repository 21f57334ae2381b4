//! Authentication and authorization of the admin API.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    Certificate, Gateway, Release, Request, Response, Setup, TOKEN, authorized_by, openapi, token,
};

fn assert_problem(response: &Response, status: u16) {
    assert_eq!(response.status, status, "{}", response.text());
    assert_eq!(response.header("content-type"), "application/problem+json");
    let problem = response.json();
    assert_eq!(problem["status"], status);
    for field in ["type", "title", "detail"] {
        assert!(problem[field].is_string(), "{problem}");
    }
}

#[test]
fn missing_or_unknown_token_returns_401() {
    let gateway = Gateway::start();
    let wrong = [
        "",
        "Bearer",
        "Bearer ",
        "Bearer nonsense",
        "Basic dXNlcjpwYXNz",
        TOKEN,
    ];
    let without_token = gateway.send_admin(Request::new("GET", "/api/v1/sections"));
    assert_problem(&without_token, 401);
    assert_eq!(without_token.header("www-authenticate"), "Bearer");
    // The name of the scheme is case-insensitive.
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let authorization = format!("{scheme} {TOKEN}");
        let request = || Request::new("GET", "/api/v1/sections").header("authorization", &authorization);
        assert_eq!(gateway.send_admin(request()).status, 200);
        assert_eq!(
            gateway.site.send(request()).status,
            404,
            "the site is another listener"
        );
    }
    for authorization in wrong {
        for (method, target) in [
            ("GET", "/api/v1/sections"),
            ("GET", "/api/v1/deployments"),
            ("GET", "/api/v1/history"),
            ("POST", "/api/v1/deployments"),
            ("PUT", "/api/v1/sections/legal/releases/1.0.0"),
        ] {
            let request = Request::new(method, target).header("authorization", authorization);
            assert_problem(&gateway.send_admin_as_new_client(request), 401);
        }
    }
}

const ACTIONS: [&str; 7] = [
    "publish",
    "deploy",
    "rollback",
    "preview",
    "garbage_collect",
    "purge",
    "metrics",
];

/// A call that needs an action.
struct Call {
    method: &'static str,
    target: &'static str,
    /// The path as the OpenAPI description lists it.
    route: &'static str,
    body: Vec<u8>,
    /// The section that a token must cover.
    section: &'static str,
}

impl Call {
    fn post(target: &'static str, body: &Value, section: &'static str) -> Self {
        let route = match target {
            "/api/v1/deployments/4/promote" => "/api/v1/deployments/{number}/promote",
            "/api/v1/deployments/4/abort" => "/api/v1/deployments/{number}/abort",
            "/api/v1/rollouts/legal/promote" => "/api/v1/rollouts/{name}/promote",
            "/api/v1/rollouts/legal/abort" => "/api/v1/rollouts/{name}/abort",
            "/api/v1/sections/legal/trial" => "/api/v1/sections/{name}/trial",
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

    fn send_as(&self, gateway: &Gateway, token: &str) -> Response {
        gateway.admin_request_as(
            token,
            Request::new(self.method, self.target).body(self.body.clone()),
        )
    }

    /// The action that the OpenAPI description requires.
    fn action(&self, gateway: &Gateway) -> String {
        let description = gateway.admin_get("/api/v1/openapi.json");
        let operation = &description["paths"][self.route][self.method.to_lowercase()];
        let [token, session] = operation["security"].as_array().unwrap().as_slice() else {
            panic!("{} {} has no two ways to authenticate", self.method, self.route);
        };
        assert_eq!(token["token"], session["session"]);
        let actions = token["token"].as_array().unwrap();
        assert_eq!(actions.len(), 1, "{} {}", self.method, self.route);
        actions[0].as_str().unwrap().to_owned()
    }
}

/// Every call that needs an action, in an order in which each is possible with deployment 3 live.
fn calls() -> Vec<Call> {
    let legal = json!({ "legal": "1.0.0" });
    vec![
        Call::post(
            "/api/v1/deployments",
            &json!({ "releases": legal, "percent": 5 }),
            "legal",
        ),
        Call::post(
            "/api/v1/deployments/4/promote",
            &json!({ "percent": 20 }),
            "legal",
        ),
        Call::post(
            "/api/v1/rollouts/legal/promote",
            &json!({ "percent": 30 }),
            "legal",
        ),
        Call::post("/api/v1/deployments/4/abort", &json!({}), "legal"),
        Call {
            method: "PUT",
            target: "/api/v1/sections/legal/releases/3.0.0",
            route: "/api/v1/sections/{name}/releases/{version}",
            body: Release::section("legal", "3.0.0", &["/terms"]).archive(),
            section: "legal",
        },
        Call::post(
            "/api/v1/sections/legal/trial",
            &json!({ "version": "3.0.0", "extensionPoints": [] }),
            "legal",
        ),
        Call::post(
            "/api/v1/extensions",
            &json!({ "section": "legal", "point": "shell/banner", "on": false }),
            "legal",
        ),
        Call::post("/api/v1/previews", &json!({ "deployment": 1 }), "legal"),
        Call::post("/api/v1/previews", &json!({ "releases": legal }), "legal"),
        Call {
            method: "DELETE",
            target: "/api/v1/previews",
            route: "/api/v1/previews",
            body: Vec::new(),
            section: "*",
        },
        Call::post("/api/v1/garbage-collection", &json!({ "dryRun": true }), "*"),
        Call::post("/api/v1/garbage-collection", &json!({}), "*"),
        Call::post("/api/v1/upstreams/purge", &json!({ "prefix": "/api/" }), "*"),
        Call::post("/api/v1/rollback", &json!({ "section": "legal" }), "legal"),
        Call::post(
            "/api/v1/deployments",
            &json!({ "releases": { "legal": "2.0.0" } }),
            "legal",
        ),
        Call::post("/api/v1/rollback", &json!({}), "*"),
        Call::post("/api/v1/rollback", &json!({ "deployment": 1 }), "*"),
    ]
}

/// A gateway with a token for each action on `legal`, on `articles` and on all sections, and with `legal`
/// deployed twice.
fn gateway_with_all_tokens() -> Gateway {
    let mut extra = String::new();
    for section in ["legal", "articles", "*"] {
        for action in ACTIONS {
            extra += &token(&format!("{action} {section}"), &[section], &[action]);
        }
        for excluded in ACTIONS {
            let others: Vec<&str> = ACTIONS.into_iter().filter(|action| *action != excluded).collect();
            extra += &token(&format!("not {excluded} {section}"), &[section], &others);
        }
    }
    let gateway = Gateway::start_live(&extra, &[]);
    for version in ["1.0.0", "2.0.0"] {
        gateway.publish(&Release::section("legal", version, &["/terms"]).fills("shell/banner@1", 0));
        gateway.deploy(&json!({ "legal": version }));
    }
    gateway
}

/// What gateways write by themselves, and the log of refused calls.
const WRITTEN_ANYWAY: [&str; 4] = ["audit", "canary", "gateways", "scratch"];

/// All other files of a store.
fn store_contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if WRITTEN_ANYWAY.iter().any(|folder| path.ends_with(folder)) {
            continue;
        }
        if path.is_dir() {
            all.extend(store_contents(&path));
        } else {
            all.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    all
}

/// Makes a call with tokens that lack only its action or its section, then with one that allows it.
fn assert_authorized(gateway: &Gateway, call: &Call) {
    let call_name = format!("{} {}", call.method, call.target);
    let before = store_contents(&gateway.store());
    let request = Request::new(call.method, call.target).body(call.body.clone());
    assert_problem(&gateway.send_admin_as_new_client(request.clone()), 401);
    let unknown = authorized_by("unknown", request);
    assert_problem(&gateway.send_admin_as_new_client(unknown), 401);
    let action = call.action(gateway);
    let wrong_section = if call.section == "*" { "legal" } else { "articles" };
    let mut wrong = vec![format!("{action} {wrong_section}"), format!("{action} articles")];
    // They have all other actions.
    wrong.extend(["legal", "*"].map(|section| format!("not {action} {section}")));
    for token in wrong {
        let response = call.send_as(gateway, &token);
        assert_eq!(response.status, 403, "{call_name} with the token `{token}`");
        let detail = response.json()["detail"].as_str().unwrap().to_owned();
        let expected = format!("the token `name of {token}` does not permit `{action}` on `");
        assert!(detail.starts_with(&expected), "{detail}");
    }
    assert!(
        before == store_contents(&gateway.store()),
        "{call_name} was rejected but changed the store"
    );
    let response = call.send_as(gateway, &format!("{action} {}", call.section));
    assert!(response.status < 300, "{call_name}: {}", response.text());
}

#[test]
fn token_allows_only_its_actions_and_sections() {
    let gateway = gateway_with_all_tokens();
    for call in calls() {
        assert_authorized(&gateway, &call);
    }
}

#[test]
fn any_token_reads_and_changes_need_each_section() {
    let gateway = gateway_with_all_tokens();
    for target in ["/api/v1/sections", "/api/v1/deployments", "/api/v1/history"] {
        for action in ACTIONS {
            let token = format!("{action} articles");
            let response = gateway.admin_request_as(&token, Request::new("GET", target));
            assert_eq!(response.status, 200);
        }
    }
    // An empty change needs the action, too.
    for (action, target) in [("deploy", "/api/v1/deployments"), ("preview", "/api/v1/previews")] {
        let body = || Request::new("POST", target).body("{\"releases\":{}}");
        assert_problem(&gateway.admin_request_as(&format!("not {action} *"), body()), 403);
        let response = gateway.admin_request_as(&format!("{action} legal"), body());
        assert!(response.status < 300, "{}", response.text());
    }
    let both = json!({ "releases": { "legal": "1.0.0", "directory": null } });
    for (token, target) in [
        ("deploy legal", "/api/v1/deployments"),
        ("preview legal", "/api/v1/previews"),
    ] {
        let response = gateway.admin_request_as(token, Request::new("POST", target).body(both.to_string()));
        assert_problem(&response, 403);
        assert!(
            response.json()["detail"]
                .as_str()
                .unwrap()
                .ends_with("`directory`")
        );
    }
    // Promoting or aborting a rollout requires permission for every section that it changes.
    let mut body = both;
    body["percent"] = json!(10);
    assert_eq!(gateway.post_deployment(&body).status, 201);
    for action in ["promote", "abort"] {
        let target = format!("/api/v1/deployments/4/{action}");
        let response = gateway.admin_request_as("deploy legal", Request::new("POST", &target).body("{}"));
        assert_problem(&response, 403);
    }
    assert_eq!(
        gateway.admin_get("/api/v1/deployments")["rollouts"][0]["percent"],
        10
    );
}

#[test]
fn unknown_path_or_method_returns_problem_json() {
    let gateway = Gateway::start();
    for target in [
        "/",
        "/api",
        "/api/v1/sections/",
        "/api/v1/sections/a",
        "/api/v2/sections",
        "/assets/x",
    ] {
        assert_problem(&gateway.admin_request(Request::new("GET", target)), 404);
    }
    assert_problem(&gateway.admin_request(Request::new("GET", "/api/v1/%zz")), 400);
    for (method, target, allowed) in [
        ("DELETE", "/api/v1/sections", "GET, HEAD, OPTIONS"),
        ("PUT", "/api/v1/deployments", "GET, HEAD, POST, OPTIONS"),
        (
            "POST",
            "/api/v1/sections/legal/releases/1.0.0",
            "GET, HEAD, PUT, OPTIONS",
        ),
        ("PUT", "/api/v1/session", "GET, HEAD, POST, DELETE, OPTIONS"),
        ("POST", "/healthz", "GET, HEAD, OPTIONS"),
    ] {
        let response = gateway.admin_request(Request::new(method, target));
        assert_problem(&response, 405);
        assert_eq!(response.header("allow"), allowed);
    }
}

#[test]
fn health_endpoints_need_no_token() {
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

/// A gateway with these tokens whose admin API is not bound to loopback, and its certificate.
pub(crate) fn gateway_with_exposed_admin(tokens: &str) -> (Gateway, Certificate) {
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
fn exposed_metrics_require_a_metrics_token() {
    let tokens =
        token("for-metrics", &["*"], &["metrics"]) + &token("for-others", &["*"], &["garbage_collect"]);
    let (gateway, certificate) = gateway_with_exposed_admin(&tokens);
    let get_metrics = |authorization: Option<&str>| {
        let request = Request::new("GET", "/metrics");
        let request = match authorization {
            Some(authorization) => request.header("authorization", authorization),
            None => request,
        };
        let response = certificate.send(&gateway.admin, request.clone()).unwrap();
        openapi::check(&request, &response);
        response
    };
    for unknown in [
        None,
        Some("Bearer unknown"),
        Some("Basic for-metrics"),
        Some("Bearer"),
    ] {
        let response = get_metrics(unknown);
        assert_eq!(
            (response.status, response.header("www-authenticate")),
            (401, "Bearer")
        );
    }
    let response = get_metrics(Some("Bearer for-others"));
    assert_eq!(response.status, 403);
    assert!(response.text().contains("metrics"), "{}", response.text());
    let response = get_metrics(Some("Bearer for-metrics"));
    assert_eq!(response.status, 200);
    assert!(response.text().contains("colonnade_http_requests_total"));
    // Health checks need no token.
    let health = certificate
        .send(&gateway.admin, Request::new("GET", "/healthz"))
        .unwrap();
    assert_eq!(health.status, 200);
}
