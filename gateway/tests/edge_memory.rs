//! A gateway that is short of memory refuses what needs most of it, before the kernel ends it.

use serde_json::json;

use crate::support::{
    Gateway, HEALTHY_MODULE, Release, configuration, is_rendered, render_count, rendered_section,
    rendering_gateway, wait_until,
};

/// Sets the memory limit, and waits until the gateway is at this level.
fn limit(gateway: &Gateway, mebibytes: u64, level: u64) {
    gateway.reload(&configuration(&limits(mebibytes)));
    wait_until("the level", || {
        gateway.metric("colonnade_memory_pressure") == level
    });
}

/// Sets the limit so that 87 % of it is used, also if the use falls because the gateway returns memory.
fn limit_to_high(gateway: &Gateway) {
    let mut last = 0;
    wait_until("memory is short", || {
        let used = gateway.metric("colonnade_memory_used_bytes") / (1024 * 1024);
        if used.abs_diff(last) * 30 > last {
            last = used;
            gateway.reload(&configuration(&limits(used * 100 / 87)));
        }
        gateway.metric("colonnade_memory_pressure") == 1
    });
}

fn limits(mebibytes: u64) -> String {
    format!("[limits]\nmax_memory_mib = {mebibytes}\n")
}

#[test]
fn short_memory_refuses_renders_then_requests() {
    let gateway = rendering_gateway(&limits(1_000_000), HEALTHY_MODULE);
    let publish = |version: &str| {
        let release: Release = rendered_section("attack", version, "/attack/:x", HEALTHY_MODULE);
        gateway.put_release(&release.name, &release.version, release.archive())
    };
    assert!(is_rendered(&gateway.get("/healthy/a")));
    gateway.publish(&rendered_section("attack", "1.0.1", "/attack/:x", HEALTHY_MODULE));
    gateway.deploy(&json!({ "attack": "1.0.1" }));

    limit(&gateway, 1, 2);
    let event = gateway.wait_for_event(|line| line["event"] == "memory_pressure");
    assert_eq!(event["level"], "critical");
    let shed = gateway.get("/healthy/a");
    assert_eq!((shed.status, shed.header("retry-after")), (503, "1"));
    assert_eq!(
        gateway.metric("colonnade_requests_shed_total{cause=\"memory\"}"),
        1
    );
    assert_eq!(gateway.get("/healthz").status, 200);
    let ready = gateway.get("/readyz");
    assert_eq!(
        (ready.status, &*ready.text()),
        (503, "memory is nearly used up\n")
    );
    // A bad release can still be taken back.
    let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "attack" }));
    assert_eq!(rollback.status, 201, "{}", rollback.text());

    limit_to_high(&gateway);
    let degraded = "degraded: memory is short: renders and publishes are refused\n";
    assert_eq!(gateway.get("/readyz").text(), degraded);
    let uncached = gateway.get("/healthy/b");
    assert!(uncached.status == 200 && !is_rendered(&uncached), "{uncached:?}");
    assert_eq!(render_count(&gateway, "healthy", "memory_short"), 1);
    let refused = publish("1.0.2");
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (503, "5"),
        "{}",
        refused.text()
    );

    limit(&gateway, 1_000_000, 0);
    assert_eq!(gateway.get("/readyz").text(), "ready\n");
    assert!(is_rendered(&gateway.get("/healthy/b")));
    assert_eq!(publish("1.0.2").status, 201);
}

#[test]
fn short_memory_admits_a_connection_for_another() {
    let gateway = Gateway::start_live(&limits(1), &[]);
    wait_until("the level", || gateway.metric("colonnade_memory_pressure") == 2);
    let idle = |last: u8| {
        let client = gateway.site.with_source_ip([127, 0, 4, last].into());
        crate::edge_limits::idle_connection(&client)
    };
    let _open: Vec<_> = (0..64).map(|_| idle(1)).collect();
    let before = gateway.closed_connections("evicted");
    let _new = idle(2);
    gateway.wait_for_closed_connections("evicted", before + 1);
}

#[test]
fn short_memory_keeps_number_of_connections() {
    let gateway = Gateway::start_live(&limits(1_000_000), &[]);
    let idle = |last: u8| {
        let client = gateway.site.with_source_ip([127, 0, 4, last].into());
        crate::edge_limits::idle_connection(&client)
    };
    let mut open: Vec<_> = (0..100).map(|_| idle(1)).collect();
    limit(&gateway, 1, 2);
    // The first connection since then counts those that are open.
    open.push(idle(2));
    gateway.wait_for_closed_connections("evicted", 1);
    open.drain(..50);
    wait_until("half of them are closed", || {
        gateway.metric("colonnade_connections_open{listener=\"site\"}") <= 51
    });
    open.extend((0..40).map(|_| idle(3)));
    gateway.wait_for_closed_connections("evicted", 1);
}
