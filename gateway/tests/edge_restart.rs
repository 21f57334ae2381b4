//! Shutdown and reload.

use crate::support::frames::{self, GOAWAY, HEADERS, PREFACE};
use crate::support::{
    Connection, Gateway, Raw, Request, Setup, TOKEN, TOKEN_ACTIONS, attack, authorized,
    configuration_with_listen, only_limits, token, wait_until,
};

#[test]
fn sigterm_fails_readiness_before_shutdown() {
    let mut gateway = Gateway::start_live("[limits]\nshutdown_delay_ms = 600000\n", &[]);
    assert_eq!(gateway.get("/readyz").status, 200);
    gateway.signal("TERM");
    gateway.wait_for_event(|line| line["event"] == "shutdown_started");
    for client in [gateway.site, gateway.admin] {
        let response = client.get("/readyz");
        assert_eq!(
            (response.status, response.text().as_str()),
            (503, "shutting down\n")
        );
        assert_eq!(client.get("/healthz").status, 200);
    }
    assert_eq!(gateway.get("/").status, 200);
    gateway.kill();
}

#[test]
fn shutdown_completes_partial_http2_preface() {
    let mut gateway = Gateway::start_live(&only_limits("shutdown_delay_ms = 0"), &[]);
    let silent = Raw::open(&gateway.site);
    let mut preface = Raw::open(&gateway.site);
    let request = [frames::client_preface(&[]), frames::request(1, "/")].concat();
    let (first_part, rest) = request.split_at(10);
    assert!(preface.send(first_part));
    wait_until("both connections are open", || {
        gateway.metric("colonnade_connections_open{listener=\"site\"}") == 2
    });
    gateway.signal("TERM");
    // A connection that has sent nothing is closed at once.
    assert_eq!(silent.read_until_closed(), b"");
    assert!(preface.send(rest));
    let (_, _, _, block) = frames::read_until(&mut preface, HEADERS);
    assert_eq!(frames::status(&block), "200");
    drop(preface);
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
}

#[test]
fn proxy_header_alone_does_not_delay_shutdown() {
    let mut gateway = Gateway::set_up_live(Setup {
        listen: "trusted_proxies = [\"127.0.0.0/8\"]\nproxy_protocol = true",
        extra: &only_limits("shutdown_delay_ms = 0"),
        ..Setup::default()
    });
    let mut raw = Raw::open(&gateway.site);
    assert!(raw.send("PROXY TCP4 192.0.2.1 192.0.2.2 1000 80\r\n"));
    wait_until("the connection is open", || {
        gateway.metric("colonnade_connections_open{listener=\"site\"}") == 1
    });
    gateway.signal("TERM");
    assert_eq!(raw.read_until_closed(), b"");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
}

#[test]
fn drain_timeout_bounds_shutdown() {
    let mut gateway = Gateway::start_live(
        &only_limits("shutdown_delay_ms = 0\ndrain_timeout_ms = 1000"),
        &[],
    );
    // A partial head, a partial preface, a partial body, and an HTTP/2 client that ignores GOAWAY.
    let mut head = Raw::open(&gateway.site);
    head.send("GET / HTTP/1.1\r\nhost: site.example\r\n");
    let mut preface = Raw::open(&gateway.site);
    assert!(preface.send(&PREFACE[..10]));
    let mut body = Raw::open(&gateway.site);
    body.send(
        "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
              content-type: application/json\r\ncontent-length: 9\r\n\r\n{",
    );
    let mut second = frames::open(&gateway.site, &[]);
    frames::read_until(&mut second, frames::SETTINGS);
    gateway.signal("TERM");
    frames::read_until(&mut second, GOAWAY);
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
    assert!(gateway.output().contains("drain_timeout"));
}

#[test]
fn partial_request_at_sigterm_is_answered() {
    let mut gateway = Gateway::start_live("[limits]\nshutdown_delay_ms = 0\n", &[]);
    let mut raw = Raw::open(&gateway.site);
    raw.send("GET / HTTP/1.1\r\nhost: site");
    // By the time this response arrives, the gateway has read the partial request.
    gateway.get("/");
    gateway.signal("TERM");
    gateway.wait_for_event(|line| line["event"] == "shutdown_started");
    raw.send(".example\r\n\r\n");
    assert_eq!(raw.read_response().status, 200);
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
}

#[test]
fn reload_applies_reloadable_settings() {
    let gateway = Gateway::start_live("", &[]);
    let sections = || Request::new("GET", "/api/v1/sections");
    let mut open = Raw::open(&gateway.site);
    open.send("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n");
    assert_eq!(open.read_exact(12), b"HTTP/1.1 200");
    let new = |request: Request| request.header("authorization", "Bearer new-token");
    assert_eq!(gateway.admin.send(new(sections())).status, 401);
    attack(&gateway, || {
        let text = configuration_with_listen("", "[limits]\nmax_requests_in_flight_per_client = 7\n")
            .replace("[store]", &(token("new-token", &["*"], &["deploy"]) + "[store]"));
        // Remove the token that allows everything.
        let text = text.replace(&token(TOKEN, &["*"], TOKEN_ACTIONS), "");
        gateway.reload(&text);
        gateway.wait_for_event(|line| line["event"] == "config_reloaded");
    });
    assert_eq!(gateway.admin.send(new(sections())).status, 200);
    assert_eq!(gateway.admin.send(authorized(sections())).status, 401);
    // Open connections stay open.
    open.send("GET /healthz HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n");
    assert!(open.read_until_closed().ends_with(b"ok\n"));
}

#[test]
fn reload_logs_keys_that_need_a_restart_without_values() {
    let gateway = Gateway::start_live("", &[]);
    let text = configuration_with_listen(
        "allowed_hosts = [\"other.example\"]",
        "[limits]\nkeepalive_timeout_ms = 7000\n[render]\ndeadline_ms = 10000\ncpu_limit_ms = 77777\n\
         [telemetry]\ncsp_report_url = \"https://changed.example\"\n",
    );
    gateway.reload(&text);
    let event = gateway.wait_for_event(|line| line["event"] == "config_reloaded");
    assert_eq!(
        event["restart_required"],
        "render.cpu_limit_ms, telemetry.csp_report_url"
    );
    assert!(!gateway.output().contains("77777") && !gateway.output().contains("changed.example"));
}

#[test]
fn reload_revokes_proxy_trust_on_open_connections() {
    let proxies = "trusted_proxies = [\"127.0.0.0/8\"]";
    let extra = "[telemetry]\nlog_client_ip = true\n";
    let gateway = Gateway::set_up_live(Setup {
        listen: proxies,
        extra,
        ..Setup::default()
    });
    let mut proxy = Connection::open(&gateway.site).unwrap();
    let mut logged_address = || {
        let get = Request::new("GET", "/").header("host", "site.example");
        let response = proxy
            .exchange(get.header("x-forwarded-for", "192.0.2.7"))
            .unwrap();
        gateway.request_event(&response)["client_ip"].clone()
    };
    assert_eq!(logged_address(), "192.0.2.7");
    gateway.reload(&configuration_with_listen("", extra));
    gateway.wait_for_event(|line| line["event"] == "config_reloaded");
    assert_eq!(logged_address(), "127.0.0.1");
}

#[test]
fn invalid_config_reload_is_rejected_and_logged() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        gateway.reload(&configuration_with_listen(
            "allowed_hosts = [\"other.example\"]\ntrusted_proxies = [\"nobody\"]",
            "[limits]\nidle = 1\n",
        ));
        let event = gateway.wait_for_event(|line| line["event"] == "config_reload_failed");
        let error = event["error"].as_str().unwrap();
        assert!(
            error.contains("listen.trusted_proxies: `nobody` is not an address"),
            "{error}"
        );
        assert!(error.contains("limits.idle: unknown key"), "{error}");
    });
    let sections = Request::new("GET", "/api/v1/sections");
    assert_eq!(gateway.admin.send(authorized(sections)).status, 200);
}
