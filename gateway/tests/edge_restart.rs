//! Shutdown, reload and zero-downtime restarts.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use crate::support::frames::{self, GOAWAY, HEADERS, PREFACE};
use crate::support::{
    Certificate, Connection, Gateway, Raw, Request, SetOnDrop, Setup, TOKEN, TOKEN_ACTIONS, Visitor, attack,
    authorized, configuration_with_listen, only_limits, socket_activated, token, visit_over_http1,
    visit_over_http2, visit_with_new_connections, wait_until, with_timeout,
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
        "[limits]\nkeepalive_timeout_ms = 7000\n[render]\ndeadline_ms = 10000\ncpu_limit_ms = 77777\n",
    )
    .replace("contact@site.example", "changed@site.example");
    gateway.reload(&text);
    let event = gateway.wait_for_event(|line| line["event"] == "config_reloaded");
    assert_eq!(event["restart_required"], "render.cpu_limit_ms, site.contact");
    assert!(!gateway.output().contains("77777") && !gateway.output().contains("changed@"));
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

/// Replaces a gateway `rounds` times while all visitors send requests, each of which must succeed. The new
/// gateway starts before the old one stops, as in a side-by-side restart, or after it has exited, as under a
/// supervisor. Connections that arrive in between wait in the socket's backlog.
fn restart_under_load(extra: &str, rounds: u32, visitors: &[Visitor<'_>]) {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let inherited = || Some(socket.try_clone().unwrap());
    let mut gateway = Gateway::set_up_live(Setup {
        socket: inherited(),
        extra,
        ..Setup::default()
    });
    assert_eq!(gateway.site.address(), socket.local_addr().unwrap());
    let (site, stop_flag) = (gateway.site, AtomicBool::new(false));
    let should_stop = || stop_flag.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let visitors: Vec<_> = visitors
            .iter()
            .map(|visit| scope.spawn(move || visit(&site, &should_stop)))
            .collect();
        // Stop the visitors even if a restart fails.
        let end = SetOnDrop(&stop_flag);
        for round in 0..rounds {
            let folder = gateway.shared_folder();
            let start = || {
                Gateway::set_up(Setup {
                    folder: Some(folder),
                    socket: inherited(),
                    extra: &format!("[limits]\nshutdown_delay_ms = 0\n{extra}"),
                    ..Setup::default()
                })
            };
            let stop = |mut old: Gateway| {
                old.signal("TERM");
                assert_eq!(old.wait_for_exit().code(), Some(0));
                assert!(!old.output().contains("drain_timeout"));
            };
            gateway = if round % 2 == 0 {
                let next = start();
                stop(gateway);
                next
            } else {
                stop(gateway);
                start()
            };
            assert_eq!(gateway.admin.get("/readyz").status, 200);
        }
        drop(end);
        for visitor in visitors {
            assert!(visitor.join().unwrap() > 0);
        }
    });
}

#[test]
fn restart_on_inherited_socket_drops_no_request() {
    let visitors: [Visitor<'_>; 3] = [&visit_with_new_connections, &visit_over_http1, &visit_over_http2];
    restart_under_load("", 2, &visitors.map(|visit| [visit; 2]).concat());
}

#[test]
fn tls_restart_on_inherited_socket_drops_no_request() {
    let (folder, certificate) = (TempDir::new().unwrap(), Certificate::new());
    let visit: Visitor<'_> = &|site, should_stop| {
        let mut responses = 0;
        while !should_stop() {
            assert_eq!(certificate.get(site).unwrap().status, 200);
            responses += 1;
        }
        responses
    };
    let table = certificate.write(folder.path()).table("tls");
    restart_under_load(&table, 2, &[visit; 2]);
}

#[test]
fn second_inherited_socket_serves_admin_api() {
    let [site, admin] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = [&site, &admin].map(|socket| socket.local_addr().unwrap());
    let gateway = Gateway::set_up_live(Setup {
        socket: Some(site),
        admin_socket: Some(admin),
        ..Setup::default()
    });
    assert_eq!(
        [gateway.site, gateway.admin].map(|client| client.address()),
        addresses
    );
    assert_eq!(gateway.get("/").status, 200);
    gateway.admin_get("/api/v1/sections");
}

/// A process that is killed on drop.
struct KillOnDrop(Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

#[test]
fn exposed_inherited_admin_socket_requires_tls() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("site.toml");
    std::fs::write(&path, configuration_with_listen("", "")).unwrap();
    let site = TcpListener::bind("127.0.0.1:0").unwrap();
    let admin = TcpListener::bind("0.0.0.0:0").unwrap();
    let address = admin.local_addr().unwrap();
    let process = socket_activated(site, Some(admin))
        .args(["serve", "--config"])
        .arg(path)
        .stderr(Stdio::piped())
        .spawn();
    let mut process = KillOnDrop(process.unwrap());
    let stderr = process.0.stderr.take().unwrap();
    let stderr = with_timeout("the gateway exits", || std::io::read_to_string(stderr).unwrap());
    assert_eq!(process.0.wait().unwrap().code(), Some(1), "{stderr}");
    let expected = format!(
        "the admin listener is on {address}, which is not a loopback address: it needs `[listen.admin_tls]`"
    );
    assert!(stderr.contains(&expected), "{stderr}");
}

#[test]
fn inherited_descriptor_that_is_no_socket_is_reported() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("site.toml");
    std::fs::write(&path, configuration_with_listen("", "")).unwrap();
    let script = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\" 3</dev/null";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_gateway"), "serve", "--config"]);
    command.arg(path);
    let output = with_timeout("the gateway exits", move || command.output().unwrap());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr.contains("cannot listen on 127.0.0.1:0: fd 3 is not a socket"),
        "{stderr}"
    );
}
