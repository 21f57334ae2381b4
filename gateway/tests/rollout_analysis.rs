//! Canary analysis of the gateway's own measurements: what ends, pauses and continues a rollout.

use std::net::Ipv4Addr;

use serde_json::json;

use crate::support::{
    Browser, Gateway, HEALTHY_MODULE, Request, extending_section, extensible_shell, rendered_section,
    rendering_shell, rollout_cookie, wait_until,
};

/// Thresholds small enough for a test.
const SMALL: &str = "[rollout]\nmin_clients = 5\n[rollout.analysis]\nmin_requests = 5\n";

/// A module that fails for one path, which no trial render knows.
const FAILS_FOR_BAD: &str = "export default { page: (path) => { if (path.endsWith('bad')) throw new Error('bad'); return '<p>good</p>'; } };";

const LONG: &str = "50% for 1h, 100%";
const SHORT: &str = "50% for 1s, 100%";

/// A gateway that rolls out deployment 2, whose section has this module, in steps.
fn gateway(settings: &str, module: &str, steps: &str) -> Gateway {
    let gateway = Gateway::start_with(settings, &[]);
    gateway.publish(&rendering_shell("1.0.0"));
    gateway.publish(&rendered_section("shop", "1.0.0", "/shop/:x", HEALTHY_MODULE));
    gateway.publish(&rendered_section("shop", "2.0.0", "/shop/:x", module));
    gateway.deploy(&json!({ "shell": "1.0.0", "shop": "1.0.0" }));
    let rollout = json!({ "releases": { "shop": "2.0.0" }, "steps": steps });
    assert_eq!(gateway.post_deployment(&rollout).status, 201);
    gateway
}

/// Requests a page as 30 clients of the live deployment, and as five of the candidate: too few that chance explains it if the
/// page fails for all five and only for them. Returns the status of the last response.
fn visit(gateway: &Gateway, page: &str) -> u16 {
    let groups = [(0..30, false), (100..105, true)];
    // The last requests can end the rollout.
    let groups = groups.map(|(clients, is_candidate)| (clients, rollout_cookie(gateway, &[is_candidate])));
    let mut status = 0;
    for (clients, cookie) in groups {
        for client in clients {
            status = visitor(gateway, client, &cookie)
                .get(&format!("/shop/{page}"))
                .status;
        }
    }
    status
}

/// A page that passes its key to its extension point.
const EXTENDED: &str = r#"export default { page: (key) => ({
  html: '<div data-extension-point="page/aside@1"></div>', points: { 'page/aside@1': { key } },
}) };"#;

/// A gateway with pages of `page` that have an extension of `events`. It rolls out deployment 2, whose release of `events` fails
/// for one page, and deployment 3 with another release of `page`.
fn gateway_with_extension() -> Gateway {
    let gateway = Gateway::start_with(SMALL, &[]);
    gateway.publish(&extensible_shell());
    for (version, fails) in [("1.0.0", "false"), ("2.0.0", "key === 'bad'")] {
        let page = rendered_section("page", version, "/page/:key", EXTENDED);
        gateway.publish(&page.opens("page/aside", 1, 1));
        let extension = format!(
            "{{ show({{ key }}) {{ if ({fails}) throw new Error('bad'); \
             return {{ extension: {{ html: 'good', data: {{}} }}, readsToday: false }}; }} }}"
        );
        gateway.publish(&extending_section("events", version, "page/aside@1", &extension));
    }
    gateway.deploy(&json!({ "shell": "1.0.0", "page": "1.0.0", "events": "1.0.0" }));
    for section in ["events", "page"] {
        let rollout = json!({ "releases": { section: "2.0.0" }, "steps": LONG });
        assert_eq!(gateway.post_deployment(&rollout).status, 201);
    }
    gateway
}

/// A client with the cookie of a group.
fn visitor(gateway: &Gateway, client: u8, cookie: &str) -> Browser {
    let mut browser = Browser::new(gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 2, client)));
    browser.set_cookie("__Host-colonnade-rollout", cookie);
    browser
}

/// The reason of the abort that must follow.
fn wait_for_abort(gateway: &Gateway) -> String {
    let change = gateway.wait_for_own_change();
    assert_eq!(
        (&change["action"], &change["live"]),
        (&json!("automatic-abort"), &json!(1)),
        "{change}"
    );
    change["reason"].as_str().unwrap().to_owned()
}

#[test]
fn render_failures_abort_rollout() {
    let gateway = gateway(SMALL, FAILS_FOR_BAD, LONG);
    assert_eq!(visit(&gateway, "bad"), 200);
    assert_eq!(
        wait_for_abort(&gateway),
        "100.0 % of 5 requests with the rollout's releases have a render failure, and 0.0 % of 30 without"
    );
    let event =
        gateway.wait_for_event(|line| line["event"] == "deployment_changed" && line["by"] == "gateway");
    assert_eq!(event["level"], "WARN");
}

/// Requests each path as another client, with or without the candidate.
fn request_all(gateway: &Gateway, is_candidate: bool, paths: impl Iterator<Item = String>) {
    let cookie = rollout_cookie(gateway, &[is_candidate]);
    for (client, path) in (0..).zip(paths) {
        assert_eq!(visitor(gateway, client, &cookie).get(&path).status, 200);
    }
}

#[test]
fn extension_failures_abort_only_rollout_of_its_section() {
    let gateway = gateway_with_extension();
    let groups = [
        (0..30, [false, false]),
        (50..55, [false, true]),
        (100..105, [true, false]),
    ];
    let groups = groups.map(|(clients, included)| (clients, rollout_cookie(&gateway, &included)));
    for (clients, cookie) in groups {
        for client in clients {
            assert_eq!(visitor(&gateway, client, &cookie).get("/page/bad").status, 200);
        }
    }
    assert_eq!(
        wait_for_abort(&gateway),
        "100.0 % of 5 requests with the rollout's releases have a render failure, and 0.0 % of 35 without"
    );
    let analysis = &gateway.admin_get("/api/v1/rollouts")[0]["analysis"];
    for (side, requests) in [("candidate", 5), ("live", 35)] {
        assert_eq!(analysis[side]["requests"], requests, "{analysis}");
        assert_eq!(analysis[side]["renderFailurePercent"], 0.0, "{analysis}");
    }
}

#[test]
fn extension_reports_count_only_for_its_section() {
    let gateway = gateway_with_extension();
    let mut visitor = visitor(&gateway, 1, &rollout_cookie(&gateway, &[true, true]));
    assert_eq!(visitor.get("/page/good").set(), "1.2.3");
    let failed = json!({
        "deployment": "1.2.3", "release": "events@2.0.0", "phase": "render", "error": "TypeError",
        "extensionPoint": "page/aside@1",
    });
    let report = Request::new("POST", "/_report").header("sec-fetch-site", "same-origin");
    assert_eq!(visitor.send(report.body(failed.to_string())).status, 204);
    let rollouts = gateway.admin_get("/api/v1/rollouts");
    let percents =
        [0, 1].map(|index| rollouts[index]["analysis"]["candidate"]["failedClientPercent"].clone());
    assert_eq!(percents, [json!(100.0), json!(0.0)]);
    let errors = gateway.admin_get("/api/v1/sections/events/errors");
    assert_eq!(errors["errors"][0]["extensionPoint"], "page/aside@1", "{errors}");
}

#[test]
fn page_data_counts_only_with_cookie_of_the_deployment() {
    let gateway = gateway(SMALL, HEALTHY_MODULE, LONG);
    let page = "/_page/1.2?path=%2Fshop%2Fgood";
    // What every document loads in the background says nothing about a page.
    let remotes = "/_remotes/1.2";
    let live = rollout_cookie(&gateway, &[false]);
    let candidate = rollout_cookie(&gateway, &[true]);
    for (cookie, counted) in [(None, 0), (Some(live), 0), (Some(candidate), 1)] {
        let mut browser = Browser::new(gateway.site);
        if let Some(cookie) = cookie {
            browser.set_cookie("__Host-colonnade-rollout", &cookie);
        }
        assert_eq!(
            (browser.get(page).status, browser.get(remotes).status),
            (200, 200)
        );
        let analysis = &gateway.admin_get("/api/v1/rollouts")[0]["analysis"];
        assert_eq!(analysis["candidate"]["requests"], counted, "{analysis}");
    }
}

#[test]
fn open_circuit_breaker_is_no_evidence_of_other_pages() {
    let gateway = gateway(SMALL, FAILS_FOR_BAD, LONG);
    let good = (0..6).map(|_| "/shop/good".to_owned());
    let bad = (0..5).map(|_| "/shop/bad".to_owned());
    // The circuit breaker opens after five failures.
    let unknown = (0..10).map(|number| format!("/shop/{number}"));
    request_all(&gateway, true, good.chain(bad).chain(unknown));
    let analysis = &gateway.admin_get("/api/v1/rollouts")[0]["analysis"];
    assert_eq!(analysis["candidate"]["requests"], 11, "{analysis}");
}

#[test]
fn page_that_always_fails_aborts_rollout_despite_breaker() {
    let gateway = Gateway::start_with(SMALL, &[]);
    gateway.publish(&rendering_shell("1.0.0"));
    gateway.publish(&rendered_section("other", "1.0.0", "/other/:x", HEALTHY_MODULE));
    for (version, module) in [
        ("1.0.0", HEALTHY_MODULE),
        (
            "2.0.0",
            "export default { page: () => { throw new Error('x'); } };",
        ),
    ] {
        gateway.publish(&rendered_section("shop", version, "/shop/:x", module));
    }
    gateway.deploy(&json!({ "shell": "1.0.0", "shop": "1.0.0", "other": "1.0.0" }));
    let rollout = json!({ "releases": { "shop": "2.0.0" }, "steps": LONG });
    assert_eq!(gateway.post_deployment(&rollout).status, 201);
    // Most visitors see pages of the other section.
    let paths = || {
        (0..100).map(|number| match number % 5 {
            0 => format!("/shop/{number}"),
            _ => format!("/other/{number}"),
        })
    };
    request_all(&gateway, false, paths());
    request_all(&gateway, true, paths());
    // The gateway looks twice per second, so it need not have counted all requests of the candidate.
    let reason = wait_for_abort(&gateway);
    assert!(
        reason.ends_with(
            " requests with the rollout's releases have a render failure, and 0.0 % of 100 without"
        ),
        "{reason}"
    );
}

#[test]
fn server_errors_abort_rollout() {
    let first = gateway(SMALL, HEALTHY_MODULE, LONG);
    std::fs::write(first.record("shop/2.0.0"), "{}").unwrap();
    let gateway = first.kill_and_restart(SMALL);
    assert_eq!(visit(&gateway, "good"), 503);
    assert_eq!(
        wait_for_abort(&gateway),
        "100.0 % of 5 requests with the rollout's releases have a server error, and 0.0 % of 30 without"
    );
}

#[test]
fn disabled_abort_pauses_failing_rollout() {
    let settings = SMALL.replace("[rollout]\n", "[rollout]\nautomatic_abort = false\n");
    let gateway = gateway(&settings, FAILS_FOR_BAD, LONG);
    visit(&gateway, "bad");
    let reason = gateway.wait_for_pause();
    let analysis = gateway.admin_get("/api/v1/rollouts")[0]["analysis"].take();
    assert_eq!(
        (
            &analysis["criteria"]["renderFailures"],
            &analysis["limits"]["automaticAbort"]
        ),
        (&json!("failing"), &json!(false))
    );
    let expected = "end of step 1 of 1, 50% for 1h; failing: 100.0 % of 5 requests";
    assert!(reason.starts_with(expected), "{reason}");
    assert_eq!(
        gateway.admin_get("/api/v1/rollouts")[0]["progress"]["paused"],
        true
    );
}

#[test]
fn step_with_too_few_samples_is_extended_then_paused() {
    let gateway = gateway(&format!("{SMALL}max_extensions = 1\n"), HEALTHY_MODULE, SHORT);
    let reason = gateway.wait_for_pause();
    let expected =
        "end of step 1 of 1, 50% for 1s; too few samples: with the rollout's releases 0 requests, ";
    assert!(reason.starts_with(expected), "{reason}");
    let event =
        gateway.wait_for_event(|line| line["event"] == "deployment_changed" && line["by"] == "gateway");
    assert_eq!(event["level"], "WARN");
    let count = "colonnade_changes_total{action=\"automatic_pause\",outcome=\"succeeded\"}";
    wait_until("the pause is counted", || gateway.metric(count) == 1);
    let rollout = gateway.admin_get("/api/v1/rollouts")[0].clone();
    let started_at: jiff::Timestamp = rollout["progress"]["stepStartedAt"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let pause = gateway.wait_for_own_change();
    let paused_at: jiff::Timestamp = pause["at"].as_str().unwrap().parse().unwrap();
    assert!(paused_at.as_second() - started_at.as_second() >= 2, "{pause}");
}

#[test]
fn passing_rollout_is_promoted_with_its_numbers() {
    let gateway = gateway(SMALL, HEALTHY_MODULE, SHORT);
    assert_eq!(
        gateway.admin_get("/api/v1/rollouts")[0]["analysis"]["verdict"],
        "too-few-samples"
    );
    visit(&gateway, "good");
    let promoted = gateway.wait_for_promotion();
    let reason = promoted["reason"].as_str().unwrap();
    assert!(
        reason.contains("; passing: with the rollout's releases 5 requests, 0.0 % server errors, 0.0 % render failures, p99 "),
        "{reason}"
    );
    let candidate = &promoted["figures"]["candidate"];
    assert_eq!(
        (&candidate["requests"], &candidate["serverErrorPercent"]),
        (&json!(5), &json!(0.0))
    );
}

#[test]
fn analysis_of_a_rollout_is_listed() {
    let gateway = gateway(SMALL, HEALTHY_MODULE, LONG);
    visit(&gateway, "good");
    let mut analysis = gateway.admin_get("/api/v1/rollouts")[0]["analysis"].take();
    for track in ["candidate", "live"] {
        assert!(analysis[track]["latencyP99Ms"].take().is_u64());
    }
    assert!(
        analysis["summary"]
            .take()
            .as_str()
            .unwrap()
            .starts_with("passing: ")
    );
    let track = |clients| {
        json!({
            "requests": clients, "serverErrorPercent": 0.0, "renderFailurePercent": 0.0, "latencyP99Ms": null,
            "views": clients, "clients": clients, "failedClientPercent": 0.0,
        })
    };
    let criteria = json!({
        "serverErrors": "passing", "renderFailures": "passing", "latencyP99": "passing",
        "failedClients": "too-few-samples",
    });
    let limits = json!({
        "automaticAbort": true, "abortMarginPercent": 5, "minViews": 100, "minClients": 5, "minRequests": 5,
        "serverErrorMarginPercent": 2, "renderFailureMarginPercent": 2, "latencyMarginMs": 500, "maxExtensions": 3,
    });
    assert_eq!(
        analysis,
        json!({
            "verdict": "passing", "summary": null, "criteria": criteria, "queries": [], "limits": limits, "gateways": 1,
            "candidate": track(5), "live": track(30),
        })
    );
}
