//! The backlog: connections that wait to be accepted.

use crate::support::{Gateway, Setup, raise_descriptor_limit};

#[test]
#[cfg(target_os = "linux")]
fn connection_burst_waits_in_backlog() {
    let gateway = Gateway::start_live("[limits]\nmax_connections_per_client = 3000\n", &[]);
    raise_descriptor_limit();
    // While the gateway accepts no connection, the system drops those beyond the backlog. Tokio opens
    // sockets with a backlog of 1,024.
    gateway.signal("STOP");
    let burst: Vec<_> = (0..2000).map(|_| gateway.site.connect()).collect();
    gateway.signal("CONT");
    drop(burst);
    assert_eq!(gateway.get("/").status, 200);
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
