//! Name resolution for upstreams.

use crate::support::{Dns, Gateway, Upstream, upstream_table, wait_until};

fn start(dns: &Dns, extra: &str) -> Gateway {
    let variables = dns.variables();
    let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, &**value)).collect();
    Gateway::start_with(extra, &variables)
}

#[test]
fn hanging_dns_server_gets_one_lookup_per_name() {
    let upstream = Upstream::json("{}");
    let dns = Dns::new();
    dns.hang();
    let url = format!("http://slow.localhost:{}", upstream.address().port());
    let keys = "connect_timeout_ms = 50\nmax_retries = 0\nbreaker_failure_threshold = 1000";
    let gateway = start(&dns, &upstream_table(&[&url], keys));
    for _ in 0..8 {
        assert_eq!(gateway.get("/api/events").status, 502);
    }
    wait_until("the lookup begins", || dns.lookups() > 0);
    assert_eq!(dns.lookups(), 1);
    dns.go_on();
    wait_until("the upstream is found", || {
        gateway.get("/api/events").status == 200
    });
}

#[test]
fn hanging_dns_server_gets_bounded_lookups() {
    let dns = Dns::new();
    dns.hang();
    let urls: Vec<_> = (0..40)
        .map(|number| format!("http://slow-{number}.localhost:1"))
        .collect();
    let urls: Vec<_> = urls.iter().map(String::as_str).collect();
    let keys = "connect_timeout_ms = 20\nmax_retries = 0\nbreaker_failure_threshold = 1000";
    let gateway = start(&dns, &upstream_table(&urls, keys));
    // A request whose connects fail tries every endpoint.
    assert_eq!(gateway.get("/api/events").status, 502);
    wait_until("lookups begin", || dns.lookups() >= 32);
    assert_eq!(dns.lookups(), 32);
    dns.go_on();
    // Those that waited for a permit.
    wait_until("all names are looked up", || dns.lookups() == 40);
}

#[test]
fn name_with_link_local_address_is_refused() {
    let dns = Dns::new();
    let gateway = start(
        &dns,
        &upstream_table(&["http://link-local.localhost:1"], "max_retries = 0"),
    );
    assert_eq!(gateway.get("/api/events").status, 502);
    let failed = gateway.wait_for_event(|line| line["event"] == "upstream_failed");
    let error = failed["error"].to_string();
    assert!(
        error.contains("neither link-local nor that of a metadata service"),
        "{failed}"
    );
}
