//! Who may use the admin API, and how it refuses.

use serde_json::json;

use crate::support::{Gateway, Release, Request, Response, TOKEN};

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
    let without = gateway.admin.get("/api/v1/sections");
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
            assert_problem(&gateway.admin.send(request), 401);
        }
    }
}

#[test]
fn a_token_does_only_what_it_is_for() {
    let gateway = Gateway::start();
    gateway.publish(&Release::shell("1.0.0"));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    let publish = |token: &str, name: &str| {
        let release = Release::section(name, "2.0.0", &["/terms"]);
        let request = Request::new("PUT", &format!("/api/v1/sections/{name}/releases/2.0.0"))
            .header("authorization", &format!("Bearer {token}"))
            .body(release.archive());
        gateway.admin.send(request)
    };
    let deploy = |token: &str, releases: serde_json::Value| {
        let request = Request::new("POST", "/api/v1/deployments")
            .header("authorization", &format!("bearer {token}"))
            .body(json!({ "releases": releases }).to_string());
        gateway.admin.send(request)
    };
    assert_eq!(publish("token-to-publish-legal", "legal").status, 201);
    assert_problem(&publish("token-to-publish-legal", "articles"), 403);
    assert_problem(&publish("token-to-publish-legal", "shell"), 403);
    assert_problem(&publish("token-to-deploy-legal", "legal"), 403);
    assert_problem(
        &deploy("token-to-publish-legal", json!({ "legal": "1.0.0" })),
        403,
    );
    assert_problem(
        &deploy(
            "token-to-deploy-legal",
            json!({ "legal": "1.0.0", "shell": "1.0.0" }),
        ),
        403,
    );
    assert_eq!(
        deploy("token-to-deploy-legal", json!({ "legal": "1.0.0" })).status,
        201
    );
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
        ("DELETE", "/api/v1/sections", "GET, HEAD"),
        ("PUT", "/api/v1/deployments", "GET, HEAD, POST"),
        ("GET", "/api/v1/sections/legal/releases/1.0.0", "PUT"),
        ("POST", "/healthz", "GET, HEAD"),
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
