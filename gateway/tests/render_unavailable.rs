//! Render workers that do not start or do not respond: the browser renders pages meanwhile, and the gateway says so.

use serde_json::json;

use crate::support::workers::{has_exited, idle_worker, kill, stop, workers};
use crate::support::{
    FaultyMachine, Gateway, HEALTHY_MODULE, SpawnFault, is_rendered, render_count, rendered_section,
    rendering_gateway, status, wait_until, with_rendering_site,
};

/// Documents wait longer for a render than the tests wait for a document. So a test fails if a document waits for a worker
/// that does not start or respond.
const PATIENT: &str = "[render]\nworkers = 2\ndeadline_ms = 600000\nbreaker_failure_threshold = 1\nbreaker_open_seconds = 3600\n";

fn machine_with_site() -> (FaultyMachine, Gateway) {
    let machine = FaultyMachine::new();
    let gateway = with_rendering_site(machine.start(PATIENT), HEALTHY_MODULE);
    assert!(is_rendered(&gateway.get("/healthy/before")));
    (machine, gateway)
}

/// No worker starts: documents are served without HTML, the gateway stays ready, and says what fails.
fn assert_degraded(gateway: &Gateway) {
    for number in 0..6 {
        let response = gateway.get(&format!("/healthy/{number}"));
        assert_eq!((response.status, is_rendered(&response)), (200, false));
    }
    gateway.wait_for_event(|line| line["event"] == "render_worker_start_failed");
    gateway.wait_for_event(|line| line["event"] == "render_workers_unavailable");
    for client in [gateway.site, gateway.admin] {
        let response = client.get("/readyz");
        let expected = "degraded: no render worker starts\n".to_owned();
        assert_eq!((response.status, response.text()), (200, expected));
    }
    assert!(gateway.metric("colonnade_render_worker_starts_total{outcome=\"failed\"}") >= 2);
    assert!(render_count(gateway, "healthy", "no_worker") >= 4);
}

/// Workers start again: pages are rendered.
fn assert_recovers(gateway: &Gateway) {
    wait_until("a worker has started", || {
        gateway.site.get("/readyz").text() == "ready\n"
    });
    gateway.wait_for_event(|line| line["event"] == "render_workers_recovered");
    assert!(is_rendered(&gateway.get("/healthy/after")));
    wait_until("both workers have started", || workers(gateway).len() == 2);
}

/// The workers die, and cannot be replaced.
fn assert_survives(fault: SpawnFault) {
    let (machine, gateway) = machine_with_site();
    wait_until("both workers have started", || {
        let workers = workers(&gateway);
        workers.len() == 2 && workers.iter().all(|worker| status(*worker, "Seccomp") == "2")
    });
    machine.break_spawn(fault);
    for worker in workers(&gateway) {
        kill(worker);
        wait_until("the worker has exited", || has_exited(worker));
    }
    assert_degraded(&gateway);
    machine.fix_spawn();
    assert_recovers(&gateway);
}

#[test]
#[cfg(target_os = "linux")]
fn full_process_table_delays_no_document() {
    assert_survives(SpawnFault::FullProcessTable);
}

#[test]
#[cfg(target_os = "linux")]
fn missing_executable_delays_no_document() {
    assert_survives(SpawnFault::MissingExecutable);
}

#[test]
#[cfg(target_os = "linux")]
fn hanging_worker_start_is_given_up() {
    assert_survives(SpawnFault::Hang);
}

#[test]
#[cfg(target_os = "linux")]
fn gateway_starts_without_workers() {
    let (machine, mut gateway) = machine_with_site();
    gateway.kill();
    machine.break_spawn(SpawnFault::FullProcessTable);
    let gateway = machine.start(PATIENT);
    gateway.wait_for_event(|line| line["event"] == "render_workers_unavailable");
    assert_degraded(&gateway);
    machine.fix_spawn();
    assert_recovers(&gateway);
}

#[test]
#[cfg(target_os = "linux")]
fn deploy_without_workers_is_rejected_with_reason() {
    let (machine, mut gateway) = machine_with_site();
    gateway.kill();
    machine.break_spawn(SpawnFault::FullProcessTable);
    let gateway = machine.start(PATIENT);
    gateway.wait_for_event(|line| line["event"] == "render_workers_unavailable");
    let release = rendered_section("healthy", "1.0.1", "/healthy/:x", HEALTHY_MODULE);
    gateway.publish(&release.with_paths(&["/healthy/example"]));
    let response = gateway.post_deployment(&json!({ "releases": { "healthy": "1.0.1" } }));
    assert_eq!(response.status, 422);
    assert!(
        response.text().contains("no render worker starts"),
        "{}",
        response.text()
    );
}

#[test]
#[cfg(target_os = "linux")]
fn stopped_worker_is_replaced() {
    let settings = "[render]\nworkers = 1\ndeadline_ms = 15000\nbreaker_failure_threshold = 1\n";
    let gateway = rendering_gateway(settings, HEALTHY_MODULE);
    let (worker, _) = idle_worker(&gateway);
    stop(worker);
    assert!(!is_rendered(&gateway.get("/healthy/x")));
    // The gateway noticed before the document's deadline.
    assert_eq!(render_count(&gateway, "healthy", "deadline_exceeded"), 0);
    let event = gateway.wait_for_event(|line| line["event"] == "render_worker_restarted");
    assert_eq!(event["cause"], "worker_unresponsive");
    assert!(is_rendered(&gateway.get("/healthy/x")));
    assert_eq!(render_count(&gateway, "healthy", "worker_unresponsive"), 1);
    assert_eq!(gateway.metric("colonnade_render_worker_restarts_total"), 1);
}
