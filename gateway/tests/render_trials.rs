//! Rendering before anybody asks: what cannot be rendered is not deployed, and what is named is there already.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{
    Gateway, Release, SOUND, is_rendered, rendered_section, rendering_gateway, rendering_shell, renders,
    until,
};

#[test]
fn a_deployment_whose_example_page_cannot_be_rendered_is_refused() {
    let gateway = rendering_gateway("", SOUND);
    let pages = json!([{ "pattern": "/attack/:x", "assets": [], "paths": [{ "path": "/attack/example", "indexable": true }] }]);
    let broken = rendered_section(
        "attack",
        "2.0.0",
        "/attack/:x",
        "export default { page: (path) => { throw new Error(`${path} is broken`); } };",
    )
    .with("pages", pages);
    gateway.publish(&broken);
    let answer = gateway.post_deployment(&json!({ "releases": { "attack": "2.0.0" } }));
    assert_eq!(answer.status, 422);
    assert_eq!(
        answer.json()["problems"],
        json!([
            "the page /attack/:x of attack@2.0.0 cannot be rendered at /attack/example: /attack/example is broken"
        ])
    );
    let live: Value = gateway.get("/attack/x").boot()["deployment"].clone();
    assert_eq!(live, 1);
}

/// A section whose page names these paths.
fn naming(name: &str, version: &str, paths: &[&str], module: &str) -> Release {
    let named = |path: &&str| json!({ "path": path, "indexable": true });
    let paths: Vec<Value> = paths.iter().map(named).collect();
    rendered_section(name, version, &format!("/{name}/:x"), module).with(
        "pages",
        json!([{ "pattern": format!("/{name}/:x"), "assets": [], "paths": paths }]),
    )
}

const BROKEN: &str = "export default { page: () => { throw new Error('broken'); } };";

fn problems(gateway: &Gateway, releases: &Value) -> Vec<String> {
    let answer = gateway.post_deployment(&json!({ "releases": releases }));
    assert_eq!(answer.status, 422, "{}", answer.text());
    let problems = answer.json()["problems"].clone();
    serde_json::from_value(problems).unwrap()
}

#[test]
fn what_pages_name_is_rendered_before_it_is_live() {
    let gateway = rendering_gateway("", SOUND);
    let before = renders(&gateway, "attack", "rendered");
    gateway.publish(&naming(
        "attack",
        "2.0.0",
        &["/attack/a", "/attack/b", "/attack/c"],
        SOUND,
    ));
    let start = Instant::now();
    gateway.deploy(&json!({ "attack": "2.0.0" }));
    // No deploy waits longer for pages that nobody has asked for yet.
    if start.elapsed() < Duration::from_secs(1) {
        assert_eq!(renders(&gateway, "attack", "rendered"), before + 3);
    }
    until("all are rendered", || {
        renders(&gateway, "attack", "rendered") == before + 3
    });
    for path in ["/attack/a", "/attack/b", "/attack/c"] {
        assert!(is_rendered(&gateway.get(path)));
    }
    assert_eq!(renders(&gateway, "attack", "rendered"), before + 3);
}

#[test]
fn what_pages_name_is_rendered_when_a_gateway_starts() {
    let gateway = rendering_gateway("", SOUND);
    gateway.publish(&naming("attack", "2.0.0", &["/attack/a", "/attack/b"], SOUND));
    gateway.deploy(&json!({ "attack": "2.0.0" }));
    let beside = gateway.beside();
    until("both are rendered", || {
        renders(&beside, "attack", "rendered") == 2
    });
}

#[test]
fn a_publish_tells_what_a_deploy_would_be_refused_for() {
    let gateway = rendering_gateway("", SOUND);
    let broken = naming("attack", "2.0.0", &["/attack/a"], BROKEN);
    let answer = gateway.put("attack", "2.0.0", broken.archive());
    assert_eq!(answer.status, 201);
    assert_eq!(
        answer.json()["warnings"],
        json!([
            "a deploy now would be refused: the page /attack/:x of attack@2.0.0 cannot be rendered at /attack/a: broken"
        ])
    );
}

#[test]
fn a_section_that_is_broken_already_stops_nobody_else() {
    // It went live while nothing was rendered.
    let gateway = rendering_gateway("[render]\nenabled = false\n", SOUND);
    gateway.publish(&naming("attack", "2.0.0", &["/attack/a"], BROKEN));
    gateway.deploy(&json!({ "attack": "2.0.0" }));
    let gateway = gateway.beside();
    gateway.publish(&naming("sound", "2.0.0", &["/sound/a"], SOUND));
    gateway.deploy(&json!({ "sound": "2.0.0" }));
    gateway.publish(&rendering_shell("2.0.0"));
    gateway.deploy(&json!({ "shell": "2.0.0" }));
    assert!(is_rendered(&gateway.get("/sound/a")));
    assert!(!is_rendered(&gateway.get("/attack/a")));
}

#[test]
fn a_shell_that_cannot_render_is_refused() {
    let gateway = rendering_gateway("", SOUND);
    let broken = rendering_shell("2.0.0").bytes(
        "server/index.js",
        crate::support::SCRIPT,
        "export function render() { throw new Error('broken'); }",
    );
    gateway.publish(&broken);
    assert_eq!(
        problems(&gateway, &json!({ "shell": "2.0.0" })),
        ["the page of shell@2.0.0 for what is not found cannot be rendered: broken"]
    );
}

#[test]
fn a_deploy_that_loops_keeps_no_other_change_waiting() {
    // Where nothing is rendered a publish tries nothing out, so what loops does it once.
    let gateway = rendering_gateway("[render]\nenabled = false\n", SOUND);
    let loops = naming(
        "attack",
        "2.0.0",
        &["/attack/a"],
        "export default { page: () => { for (;;); } };",
    );
    gateway.publish(&loops);
    gateway.publish(&rendered_section("sound", "2.0.0", "/sound/:x", SOUND));
    let gateway = gateway.beside_with("[render]\nworkers = 2\ncpu_ms = 5000\n");
    std::thread::scope(|scope| {
        let looping = scope.spawn(|| problems(&gateway, &json!({ "attack": "2.0.0" })));
        gateway.deploy(&json!({ "sound": "2.0.0" }));
        let rollback = gateway.tell("/api/v1/rollback", &json!({ "section": "sound" }));
        assert_eq!(rollback.status, 201, "{}", rollback.text());
        assert!(!looping.is_finished(), "it is still being tried out");
        assert_eq!(looping.join().unwrap().len(), 1);
    });
}

#[test]
fn a_rollback_to_what_cannot_be_rendered_is_not_refused() {
    let gateway = rendering_gateway("[render]\nenabled = false\n", BROKEN);
    gateway.publish(&naming("attack", "2.0.0", &["/attack/a"], SOUND));
    gateway.deploy(&json!({ "attack": "2.0.0" }));
    let gateway = gateway.beside();
    assert!(is_rendered(&gateway.get("/attack/a")));
    let rollback = gateway.tell("/api/v1/rollback", &json!({ "section": "attack" }));
    assert_eq!(rollback.status, 201, "{}", rollback.text());
    assert!(!is_rendered(&gateway.get("/attack/a")));
}

#[test]
fn pages_beyond_the_tenth_that_fails_are_not_tried() {
    let gateway = rendering_gateway("", SOUND);
    let pages: Vec<Value> = (0..30)
        .map(|number| {
            let path = format!("/attack/{number}");
            json!({ "pattern": path, "assets": [], "paths": [{ "path": path, "indexable": false }] })
        })
        .collect();
    let broken = rendered_section("attack", "2.0.0", "/attack/:x", BROKEN).with("pages", json!(pages));
    gateway.publish(&broken);
    let problems = problems(&gateway, &json!({ "attack": "2.0.0" }));
    assert_eq!(problems.len(), 11);
    assert_eq!(problems[10], "further pages were not tried");
}

#[test]
fn a_deploy_waits_for_its_turn_where_others_keep_the_workers_busy() {
    const LOOPS: &str = "export default { page: () => { for (;;); } };";
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\nqueue = 1\ncpu_ms = 700\ndeadline_ms = 700\nfailures = 1000\n",
        LOOPS,
    );
    gateway.publish(&naming("sound", "2.0.0", &["/sound/a"], BROKEN));
    std::thread::scope(|scope| {
        for number in 0..4 {
            let gateway = &gateway;
            scope.spawn(move || gateway.get(&format!("/attack/{number}")));
        }
        until("the queue is full", || renders(&gateway, "attack", "busy") > 0);
        assert!(problems(&gateway, &json!({ "sound": "2.0.0" }))[0].ends_with("broken"));
    });
}
