//! Render workers that do not start or do not respond: the browser renders pages meanwhile, and the gateway says so.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::support::workers::{has_exited, idle_worker, kill, signal, stop, workers};
use crate::support::{
    FaultyMachine, Gateway, HEALTHY_MODULE, SpawnFault, is_rendered, render_count, rendered_section,
    rendering_gateway, status, wait_until, wait_until_rendered, with_rendering_site,
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

/// No worker is available: documents are served without HTML, the gateway stays ready, and says what fails.
fn assert_degraded(gateway: &Gateway) {
    for number in 0..6 {
        let response = gateway.get(&format!("/healthy/{number}"));
        assert_eq!((response.status, is_rendered(&response)), (200, false));
    }
    gateway.wait_for_event(|line| line["event"] == "render_workers_unavailable");
    for client in [gateway.site, gateway.admin] {
        let response = client.get("/readyz");
        let expected = "degraded: no render worker is available\n".to_owned();
        assert_eq!((response.status, response.text()), (200, expected));
    }
    assert!(render_count(gateway, "healthy", "no_worker") >= 4);
}

/// Workers do not start, and the gateway says so.
fn assert_starts_fail(gateway: &Gateway) {
    gateway.wait_for_event(|line| line["event"] == "render_worker_start_failed");
    assert!(gateway.metric("colonnade_render_worker_starts_total{outcome=\"failed\"}") >= 2);
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

fn has_started(worker: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{worker}/status"));
    status.is_ok_and(|status| status.contains("Seccomp:\t2"))
}

fn wait_for_both_workers(gateway: &Gateway) {
    wait_until("both workers have started", || {
        let workers = workers(gateway);
        workers.len() == 2 && workers.into_iter().all(has_started)
    });
}

/// The workers die, and cannot be replaced.
fn assert_survives(fault: SpawnFault) {
    let (machine, gateway) = machine_with_site();
    wait_for_both_workers(&gateway);
    machine.break_spawn(fault);
    for worker in workers(&gateway) {
        kill(worker);
        wait_until("the worker has exited", || has_exited(worker));
    }
    assert_degraded(&gateway);
    assert_starts_fail(&gateway);
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
    assert_starts_fail(&gateway);
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
        response.text().contains("no render worker is available"),
        "{}",
        response.text()
    );
}

/// Stops every worker that has started, until `done` is set.
fn stop_workers(gateway: &Gateway, done: &AtomicBool) {
    let mut stopped = HashSet::new();
    let is_done = || done.load(Ordering::Relaxed);
    while !is_done() {
        wait_until("another worker has started", || {
            let mut workers = workers(gateway).into_iter();
            let worker = workers.find(|worker| !stopped.contains(worker) && has_started(*worker));
            worker.into_iter().for_each(stop);
            stopped.extend(worker);
            worker.is_some() || is_done()
        });
    }
    for worker in stopped {
        signal(worker, "CONT");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn hanging_workers_delay_only_their_first_documents() {
    let gateway = rendering_gateway(PATIENT, HEALTHY_MODULE);
    wait_for_both_workers(&gateway);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| stop_workers(&gateway, &done));
        // Both workers must hang before they get a render.
        wait_until("both workers are stopped", || {
            let workers = workers(&gateway);
            workers.len() == 2
                && workers
                    .iter()
                    .all(|worker| status(*worker, "State").starts_with('T'))
        });
        for page in ["a", "b"] {
            let gateway = &gateway;
            scope.spawn(move || assert!(!is_rendered(&gateway.get(&format!("/healthy/{page}")))));
        }
        assert_degraded(&gateway);
        assert_eq!(render_count(&gateway, "healthy", "worker_unresponsive"), 2);
        done.store(true, Ordering::Relaxed);
    });
    assert_recovers(&gateway);
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
    assert!(wait_until_rendered(&gateway, "/healthy/x"));
    assert_eq!(render_count(&gateway, "healthy", "worker_unresponsive"), 1);
    assert_eq!(gateway.metric("colonnade_render_worker_restarts_total"), 1);
}
