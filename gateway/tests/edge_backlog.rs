//! The backlog: connections that wait to be accepted.

use std::net::TcpListener;

use crate::support::{Gateway, Setup};

/// More than the 128 of a socket that the standard library opens.
const CROWD: usize = 1000;

/// Lets one client hold the whole crowd.
const LIMITS: &str = "[limits]\nmax_connections_per_client = 2000\n";

/// Opens connections while the gateway accepts none. Beyond the backlog, the system drops them.
fn assert_crowd_connects(gateway: &Gateway) {
    gateway.signal("STOP");
    let crowd: Vec<_> = (0..CROWD).map(|_| gateway.site.connect()).collect();
    gateway.signal("CONT");
    drop(crowd);
    assert_eq!(gateway.get("/").status, 200);
}

#[test]
#[cfg(target_os = "linux")]
fn crowd_waits_in_backlog() {
    assert_crowd_connects(&Gateway::start_live(LIMITS, &[]));
}

#[test]
#[cfg(target_os = "linux")]
fn backlog_applies_to_inherited_socket() {
    // A socket of the standard library has a backlog of 128.
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    assert_crowd_connects(&Gateway::set_up_live(Setup {
        socket: Some(socket),
        extra: LIMITS,
        ..Setup::default()
    }));
}

#[test]
#[cfg(target_os = "linux")]
fn lower_limit_of_system_is_logged() {
    let system = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
    let system: u64 = system.trim().parse().unwrap();
    let gateway = Gateway::set_up(Setup {
        listen: &format!("backlog = {}", system + 1),
        ..Setup::default()
    });
    let event = gateway.wait_for_event(|line| line["event"] == "backlog_limited");
    assert_eq!(event["level"], "WARN");
    assert_eq!(event["somaxconn"], system);
    assert_eq!(event["backlog"], system + 1);
}
