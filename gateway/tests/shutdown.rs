//! Graceful shutdown and restart.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::json;

use crate::support::{Backend, FaultyMachine, Gateway, Reply, Request, Response, only_limits};

fn assert_exits_cleanly(mut gateway: Gateway) {
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
    assert!(gateway.output().contains("\"event\":\"shutdown_complete\""));
}

#[test]
fn signal_stops_idle_gateway() {
    for signal in ["TERM", "INT", "QUIT"] {
        let gateway = Gateway::start_live("", &[]);
        // Silent and idle connections do not delay the shutdown.
        let silent = gateway.site.connect();
        let mut idle = gateway.site.connect();
        write!(idle, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        let mut start = [0; 12];
        idle.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 200");
        gateway.signal(signal);
        assert_exits_cleanly(gateway);
        drop(silent);
    }
}

#[test]
fn shutdown_drains_requests_and_accepts_no_new_ones() {
    let backend = Backend::start(Reply::Hold(json!({ "redirectUrl": "/welcome" }).to_string()));
    let gateway = Gateway::start_live(&backend.signup_table(), &[("KEY", "k")]);
    let site = gateway.site;
    let signup = std::thread::spawn(move || site.send(Request::sign_up()));
    backend.wait_for_request();
    gateway.signal("TERM");
    gateway.wait_for_event(|line| line["event"] == "shutdown_started");
    wait_until_refused(&gateway);
    backend.release_held();
    let response: Response = signup.join().unwrap();
    assert_eq!(
        (response.status, response.json()),
        (200, json!({ "redirectUrl": "/welcome" }))
    );
    assert_exits_cleanly(gateway);
}

#[test]
fn hanging_store_does_not_block_shutdown() {
    let machine = FaultyMachine::new();
    let gateway = machine
        .start(&only_limits("drain_timeout_ms = 400"))
        .with_live_site();
    machine.hang_disk();
    let mut connection = gateway.site.connect();
    write!(
        connection,
        "GET /assets/shell/1.0.0/main.js HTTP/1.1\r\nhost: site.example\r\n\r\n"
    )
    .unwrap();
    let hanging = machine.wait_for_hanging_read();
    gateway.signal("TERM");
    assert_exits_cleanly(gateway);
    drop(hanging);
}

/// Connects repeatedly until the listener is closed. Each attempt succeeds or fails at once.
fn wait_until_refused(gateway: &Gateway) {
    while TcpStream::connect(gateway.site.address()).is_ok() {}
}

#[test]
fn live_deployment_survives_restart() {
    let mut gateway = Gateway::start_live("", &[]);
    let before = gateway.get("/");
    gateway.signal("TERM");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
    let after = gateway.start_another().get("/");
    assert_eq!(after.body, before.body);
    assert_eq!(after.header("etag"), before.header("etag"));
}

#[test]
fn live_deployment_survives_kill() {
    let mut gateway = Gateway::start_live("", &[]);
    gateway.signal("KILL");
    assert_eq!(gateway.wait_for_exit().code(), None);
    assert_eq!(gateway.start_another().get("/").status, 200);
}

#[test]
fn sigusr1_is_ignored() {
    let mut gateway = Gateway::start_live("[limits]\nshutdown_delay_ms = 0\n", &[]);
    gateway.signal("USR1");
    assert_eq!(gateway.get("/").status, 200);
    gateway.signal("TERM");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
}
