//! Rendering before requests: deploys check example pages and render listed paths ahead.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{
    Gateway, HEALTHY_MODULE, Release, is_rendered, render_count, rendered_section, rendering_gateway,
    rendering_shell, wait_until,
};

/// A section whose page lists these paths.
fn section_with_paths(name: &str, version: &str, paths: &[&str], module: &str) -> Release {
    let listed = |path: &&str| json!({ "path": path, "indexable": true });
    let paths: Vec<Value> = paths.iter().map(listed).collect();
    rendered_section(name, version, &format!("/{name}/:x"), module).with(
        "pages",
        json!([{ "pattern": format!("/{name}/:x"), "assets": [], "paths": paths }]),
    )
}

const BROKEN: &str = "export default { page: () => { throw new Error('broken'); } };";

fn problems(gateway: &Gateway, releases: &Value) -> Vec<String> {
    let response = gateway.post_deployment(&json!({ "releases": releases }));
    assert_eq!(response.status, 422, "{}", response.text());
    let problems = response.json()["problems"].clone();
    serde_json::from_value(problems).unwrap()
}

#[test]
fn deploy_with_failing_page_or_shell_is_rejected() {
    let gateway = rendering_gateway("", HEALTHY_MODULE);
    let broken = "export default { page: (path) => { throw new Error(`${path} is broken`); } };";
    gateway.publish(&section_with_paths("attack", "2.0.0", &["/attack/a"], broken));
    assert_eq!(
        problems(&gateway, &json!({ "attack": "2.0.0" })),
        [
            "rendering /attack/a (page /attack/:x of attack@2.0.0) failed: /attack/a is broken\n  at page (section:1:55)"
        ]
    );
    let pages: Vec<Value> = (0..30)
        .map(|number| {
            let path = format!("/attack/{number}");
            json!({ "pattern": path, "assets": [], "paths": [{ "path": path, "indexable": false }] })
        })
        .collect();
    gateway.publish(&rendered_section("attack", "3.0.0", "/attack/:x", BROKEN).with("pages", json!(pages)));
    let ten = problems(&gateway, &json!({ "attack": "3.0.0" }));
    assert_eq!(ten.len(), 11);
    assert_eq!(ten[10], "20 more pages, extensions or examples were not tried");
    gateway.publish(&rendering_shell("2.0.0").bytes(
        "server/index.js",
        crate::support::SCRIPT,
        "export function render() { throw new Error('broken'); }",
    ));
    assert_eq!(
        problems(&gateway, &json!({ "shell": "2.0.0" })),
        ["rendering the not-found page of shell@2.0.0 failed: broken"]
    );
    assert_eq!(gateway.get("/attack/x").boot()["deployment"], "1");
}

#[test]
fn deploy_renders_listed_paths_before_going_live() {
    let gateway = rendering_gateway("", HEALTHY_MODULE);
    let before = render_count(&gateway, "attack", "rendered");
    gateway.publish(&section_with_paths(
        "attack",
        "2.0.0",
        &["/attack/a", "/attack/b", "/attack/c"],
        HEALTHY_MODULE,
    ));
    let start = Instant::now();
    gateway.deploy(&json!({ "attack": "2.0.0" }));
    // A deploy renders listed paths for at most a second.
    if start.elapsed() < Duration::from_secs(1) {
        assert_eq!(render_count(&gateway, "attack", "rendered"), before + 3);
    }
    wait_until("all pages are rendered", || {
        render_count(&gateway, "attack", "rendered") == before + 3
    });
    for path in ["/attack/a", "/attack/b", "/attack/c"] {
        assert!(is_rendered(&gateway.get(path)));
    }
    assert_eq!(render_count(&gateway, "attack", "rendered"), before + 3);
    // A start renders them, too.
    let other = gateway.start_another();
    wait_until("all pages are rendered", || {
        render_count(&other, "attack", "rendered") == 3
    });
}

#[test]
fn publish_warns_of_failing_example_page() {
    let gateway = rendering_gateway("[render]\ncpu_limit_ms = 500\n", HEALTHY_MODULE);
    let broken = section_with_paths("attack", "2.0.0", &["/attack/a"], BROKEN);
    let response = gateway.put_release("attack", "2.0.0", broken.archive());
    assert_eq!(response.status, 201);
    assert_eq!(
        response.json()["warnings"],
        json!([
            "a deploy now would be rejected: rendering /attack/a (page /attack/:x of attack@2.0.0) failed: broken\n  at page (section:1:42)"
        ])
    );
    let module = "export default { page: async (path) => { await null; path = path.trim(); for (;;); } };";
    let loops = section_with_paths("attack", "3.0.0", &["/attack/a"], module);
    let response = gateway.put_release("attack", "3.0.0", loops.archive());
    assert_eq!(
        response.json()["warnings"],
        json!([
            "a deploy now would be rejected: rendering /attack/a (page /attack/:x of attack@3.0.0) failed: it used 500 ms \
             of CPU time, which is the limit; look for an endless loop\n  at page (section:1:65)"
        ])
    );
}

#[test]
fn already_broken_section_does_not_block_deploys() {
    // The broken section goes live while rendering is disabled.
    let gateway = rendering_gateway("[render]\nenabled = false\n", HEALTHY_MODULE);
    gateway.publish(&section_with_paths("attack", "2.0.0", &["/attack/a"], BROKEN));
    gateway.deploy(&json!({ "attack": "2.0.0" }));
    let gateway = gateway.start_another();
    gateway.publish(&section_with_paths(
        "healthy",
        "2.0.0",
        &["/healthy/a"],
        HEALTHY_MODULE,
    ));
    gateway.deploy(&json!({ "healthy": "2.0.0" }));
    gateway.publish(&rendering_shell("2.0.0"));
    gateway.deploy(&json!({ "shell": "2.0.0" }));
    assert!(is_rendered(&gateway.get("/healthy/a")));
    assert!(!is_rendered(&gateway.get("/attack/a")));
}

#[test]
fn looping_deploy_does_not_block_other_changes() {
    // With rendering disabled a publish renders nothing, so the module loops only in the deploy.
    let gateway = rendering_gateway("[render]\nenabled = false\n", HEALTHY_MODULE);
    let loops = section_with_paths(
        "attack",
        "2.0.0",
        &["/attack/a"],
        "export default { page: () => { for (;;); } };",
    );
    gateway.publish(&loops);
    gateway.publish(&rendered_section(
        "healthy",
        "2.0.0",
        "/healthy/:x",
        HEALTHY_MODULE,
    ));
    let gateway = gateway.start_another_with("[render]\nworkers = 2\ncpu_limit_ms = 2000\n");
    std::thread::scope(|scope| {
        let looping = scope.spawn(|| problems(&gateway, &json!({ "attack": "2.0.0" })));
        gateway.deploy(&json!({ "healthy": "2.0.0" }));
        let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "healthy" }));
        assert_eq!(rollback.status, 201, "{}", rollback.text());
        assert!(
            !looping.is_finished(),
            "the looping deploy has finished too early"
        );
        assert_eq!(looping.join().unwrap().len(), 1);
    });
}

#[test]
fn rollback_to_failing_render_is_allowed() {
    let gateway = rendering_gateway("[render]\nenabled = false\n", BROKEN);
    gateway.publish(&section_with_paths(
        "attack",
        "2.0.0",
        &["/attack/a"],
        HEALTHY_MODULE,
    ));
    gateway.deploy(&json!({ "attack": "2.0.0" }));
    let gateway = gateway.start_another();
    assert!(is_rendered(&gateway.get("/attack/a")));
    let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "attack" }));
    assert_eq!(rollback.status, 201, "{}", rollback.text());
    assert!(!is_rendered(&gateway.get("/attack/a")));
}

#[test]
fn deploy_check_waits_for_busy_workers() {
    const LOOPS: &str = "export default { page: () => { for (;;); } };";
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nmax_queue_length = 1\ncpu_limit_ms = 200\nbreaker_failure_threshold = 1000\n",
        LOOPS,
    );
    gateway.publish(&section_with_paths("healthy", "2.0.0", &["/healthy/a"], BROKEN));
    std::thread::scope(|scope| {
        for number in 0..4 {
            let gateway = &gateway;
            scope.spawn(move || gateway.get(&format!("/attack/{number}")));
        }
        wait_until("the queue is full", || {
            render_count(&gateway, "attack", "queue_full") > 0
        });
        assert!(problems(&gateway, &json!({ "healthy": "2.0.0" }))[0].contains("failed: broken\n"));
    });
}
