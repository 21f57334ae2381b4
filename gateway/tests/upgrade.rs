//! Upgrades: a new process takes over the listening sockets of the running one without a pause.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{
    Certificate, Client, Gateway, Raw, Request, SetOnDrop, Setup, Successor, Visitor, authorized,
    configuration_with_listen, visit_over_http1, visit_over_http2, visit_with_new_connections, wait_until,
};

/// Tries an upgrade, which must fail. Returns the error that `gateway upgrade` prints.
fn fail_to_upgrade(gateway: &Gateway) -> String {
    let output = gateway.run("upgrade");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    let event = gateway.wait_for_event(|line| line["event"] == "upgrade_failed");
    assert_eq!(error, format!("{}\n", event["error"].as_str().unwrap()));
    assert!(gateway.metric("colonnade_upgrade_failures_total") > 0);
    assert_serves(gateway);
    error
}

/// The gateway serves, is ready, and has no child process except render workers.
fn assert_serves(gateway: &Gateway) {
    for client in [gateway.site, gateway.admin] {
        assert_eq!(client.get("/readyz").status, 200);
    }
    assert_eq!(gateway.get("/").status, 200);
    wait_until("the failed process has exited", || {
        children(gateway)
            .iter()
            .all(|arguments| arguments.contains("render-worker"))
    });
}

/// The arguments of the child processes.
fn children(gateway: &Gateway) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", gateway.pid())).unwrap();
    let children =
        tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("children")).ok());
    let children: String = children.collect();
    let arguments = children.split_whitespace().map(|pid| {
        let arguments = std::fs::read_to_string(format!("/proc/{pid}/cmdline"));
        // An exited process has no arguments.
        arguments.unwrap_or_default()
    });
    arguments.filter(|arguments| !arguments.is_empty()).collect()
}

/// A gateway that was started through a symbolic link in its folder.
fn linked_gateway(extra: &str) -> (Gateway, PathBuf, TempDir) {
    let folder = TempDir::new().unwrap();
    let link = folder.path().join("gateway");
    symlink(env!("CARGO_BIN_EXE_gateway"), &link).unwrap();
    let gateway = Gateway::set_up_live(Setup {
        program: Some(&link),
        extra,
        ..Setup::default()
    });
    (gateway, link, folder)
}

/// Replaces a file by a shell script.
fn replace_by_script(path: &Path, script: &str) {
    let new = path.with_extension("new");
    std::fs::write(&new, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(&new, path).unwrap();
}

/// A request whose body never arrives.
fn stalled_request(gateway: &Gateway) -> Raw {
    let mut stalled = Raw::open(&gateway.site);
    stalled.send(
        "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/json\r\ncontent-length: 9\r\n\r\n{",
    );
    stalled
}

/// Runs `during` while visitors send requests, each of which must succeed.
fn under_load(site: Client, visitors: &[Visitor<'_>], during: impl FnOnce()) {
    let stop_flag = AtomicBool::new(false);
    let should_stop = || stop_flag.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let visitors = visitors.iter().flat_map(|visit| [visit; 4]);
        let visitors = visitors.map(|visit| scope.spawn(move || visit(&site, &should_stop)));
        let visitors: Vec<_> = visitors.collect();
        // Stop the visitors even if `during` panics.
        let end = SetOnDrop(&stop_flag);
        during();
        drop(end);
        for visitor in visitors {
            assert!(visitor.join().unwrap() > 0);
        }
    });
}

#[test]
fn upgrade_under_load_fails_no_request() {
    let mut gateway = Gateway::start_live("[limits]\ndrain_timeout_ms = 60000\n", &[]);
    let stalled = stalled_request(&gateway);
    let site = gateway.site;
    let visitors: [Visitor<'_>; 3] = [&visit_with_new_connections, &visit_over_http1, &visit_over_http2];
    let mut last = None;
    under_load(site, &visitors, || {
        let first = Successor::of(&gateway);
        // The old process still drains the stalled request.
        let second = Successor::of(&gateway);
        assert_ne!(first.pid(), second.pid());
        assert_eq!(site.get("/").status, 200);
        drop(stalled);
        // The output ends only when the last process has exited.
        wait_until("both old processes have exited", || {
            gateway.output().matches("\"shutdown_complete\"").count() == 2
        });
        assert_eq!(site.get("/").status, 200);
        last = Some(second);
    });
    last.unwrap().signal("TERM");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
}

#[test]
fn tls_upgrade_under_load_fails_no_handshake() {
    let (folder, certificate) = (TempDir::new().unwrap(), Certificate::new());
    let gateway = Gateway::start_live(&certificate.write(folder.path()).table("tls"), &[]);
    let visit: Visitor<'_> = &|site, should_stop| {
        let mut responses = 0;
        while !should_stop() {
            assert_eq!(certificate.get(site).unwrap().status, 200);
            responses += 1;
        }
        responses
    };
    let mut successor = None;
    under_load(gateway.site, &[visit], || {
        successor = Some(Successor::of(&gateway));
        gateway.wait_for_event(|line| line["event"] == "shutdown_complete");
    });
}

#[test]
fn upgrade_never_exposes_the_admin_listener_without_tls() {
    let (folder, certificate) = (TempDir::new().unwrap(), Certificate::new());
    let gateway = Gateway::set_up(Setup {
        admin: Some("0.0.0.0:0"),
        extra: &certificate.write(folder.path()).table("admin_tls"),
        ..Setup::default()
    });
    // The new process gets the socket of the old one, whatever its configuration says.
    gateway.configure(&configuration_with_listen("", ""));
    let error = String::from_utf8(gateway.run("upgrade").stderr).unwrap();
    let expected = format!(
        "the admin listener is on {}, which is not a loopback address",
        gateway.admin.address()
    );
    assert!(error.contains(&expected), "{error}");
}

#[test]
fn upgrade_applies_configuration_that_needs_restart() {
    let gateway = Gateway::start_live("", &[]);
    let text = configuration_with_listen("", "").replace("Test & Brand", "Other Brand");
    gateway.configure(&text);
    let _successor = Successor::of(&gateway);
    wait_until("the new process serves", || {
        gateway.get("/").text().contains("Other Brand")
    });
    gateway.admin_get("/api/v1/sections");
}

#[test]
fn sigusr2_starts_replaced_binary() {
    let (mut gateway, link, folder) = linked_gateway("");
    let marker = folder.path().join("marker");
    let script = format!(
        "echo $$ >{}\nexec {} \"$@\"",
        marker.display(),
        env!("CARGO_BIN_EXE_gateway")
    );
    replace_by_script(&link, &script);
    gateway.signal("USR2");
    let event = gateway.wait_for_event(|line| line["event"] == "upgrade_complete");
    let successor = Successor::with_pid(event["pid"].to_string());
    assert_eq!(std::fs::read_to_string(&marker).unwrap().trim(), successor.pid());
    gateway.wait_for_event(|line| line["event"] == "shutdown_complete");
    assert_eq!(gateway.get("/").status, 200);
    drop(successor);
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
}

#[test]
fn replaced_process_stays_ready_while_it_drains() {
    let gateway = Gateway::start_with(
        "[limits]\nshutdown_delay_ms = 600000\ndrain_timeout_ms = 600000\n",
        &[],
    )
    .with_live_site();
    // Partial requests on connections to the old process.
    let mut ready = Raw::open(&gateway.admin);
    ready.send("GET /readyz HTTP/1.1\r\nhost: ");
    let mut logs = Raw::open(&gateway.admin);
    let entries = gateway.admin_get("/api/v1/sections/directory/logs");
    let last = &entries["entries"].as_array().unwrap().last().unwrap()["id"];
    let target = format!("/api/v1/sections/directory/logs?after={last}&wait=30");
    let request = authorized(Request::new("GET", &target));
    logs.send(request.into_bytes(gateway.admin.address()));
    let _stalled = stalled_request(&gateway);
    wait_until("the requests are in flight", || {
        gateway.metric("colonnade_connections_open{listener=\"admin\"}") >= 3
    });
    let _successor = Successor::of(&gateway);
    ready.send("localhost\r\n\r\n");
    assert_eq!(ready.read_response().status, 200);
    let logs = logs.read_response();
    assert_eq!(
        (logs.status, logs.json()["entries"].clone()),
        (200, Value::Array(Vec::new()))
    );
}

#[test]
fn upgrade_with_broken_configuration_changes_nothing() {
    let gateway = Gateway::start_live("", &[]);
    gateway.configure(&configuration_with_listen("", "[limits]\nidle = 1\n"));
    let error = fail_to_upgrade(&gateway);
    assert!(error.contains("limits.idle: unknown key"), "{error}");
    // A correct file is accepted afterwards.
    gateway.configure(&configuration_with_listen("", ""));
    let _successor = Successor::of(&gateway);
    assert_eq!(gateway.get("/").status, 200);
}

#[test]
fn upgrade_to_binary_that_exits_changes_nothing() {
    let (gateway, link, _folder) = linked_gateway("");
    replace_by_script(&link, "exit 3");
    let error = fail_to_upgrade(&gateway);
    assert!(
        error.contains("exited before it was ready: exit status: 3"),
        "{error}"
    );
}

#[test]
fn upgrade_without_binary_changes_nothing() {
    let (gateway, link, _folder) = linked_gateway("");
    std::fs::remove_file(&link).unwrap();
    let error = fail_to_upgrade(&gateway);
    assert!(
        error.contains(&format!("cannot start {}", link.display())),
        "{error}"
    );
}

#[test]
fn upgrade_that_never_becomes_ready_changes_nothing() {
    let (gateway, link, _folder) = linked_gateway("[limits]\nupgrade_timeout_ms = 300\n");
    replace_by_script(&link, "exec sleep 600");
    let error = fail_to_upgrade(&gateway);
    assert!(error.contains("was not ready within 300 ms"), "{error}");
}

#[test]
fn upgrade_without_live_deployment_fails() {
    let gateway = Gateway::start();
    let output = gateway.run("upgrade");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(error.contains("no deployment is live"), "{error}");
    assert_eq!(gateway.get("/healthz").status, 200);
}

#[test]
fn second_upgrade_at_once_is_refused() {
    let (gateway, link, folder) = linked_gateway("");
    let [started, go] = ["started", "go"].map(|name| folder.path().join(name));
    let script = format!(
        "touch {started}\nuntil test -e {go}; do sleep 0.01; done\nexec {binary} \"$@\"",
        started = started.display(),
        go = go.display(),
        binary = env!("CARGO_BIN_EXE_gateway")
    );
    replace_by_script(&link, &script);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| Successor::of(&gateway));
        wait_until("the first upgrade has started", || started.exists());
        let error = String::from_utf8(gateway.run("upgrade").stderr).unwrap();
        assert_eq!(error, "another upgrade is running\n");
        std::fs::write(&go, "").unwrap();
        let _successor = first.join().unwrap();
        assert_eq!(gateway.get("/").status, 200);
    });
}

#[test]
fn sigterm_during_upgrade_stops_both_processes() {
    // The delay does not keep the new process running.
    let (mut gateway, link, folder) = linked_gateway("[limits]\nshutdown_delay_ms = 300\n");
    let started = folder.path().join("started");
    replace_by_script(&link, &format!("touch {}\nexec sleep 600", started.display()));
    gateway.signal("USR2");
    wait_until("the upgrade has started", || started.exists());
    gateway.signal("TERM");
    let event = gateway.wait_for_event(|line| line["event"] == "upgrade_failed");
    assert_eq!(event["error"], "the gateway is shutting down");
    // The output ends when all processes have exited.
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
}

#[test]
fn upgrade_during_shutdown_is_refused() {
    let gateway = Gateway::start_live("[limits]\nshutdown_delay_ms = 60000\n", &[]);
    gateway.signal("TERM");
    gateway.wait_for_event(|line| line["event"] == "shutdown_started");
    let output = gateway.run("upgrade");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error, "the gateway is shutting down\n");
}

#[test]
fn upgrade_warns_of_an_address_that_does_not_apply() {
    let gateway = Gateway::start_live("", &[]);
    let text =
        configuration_with_listen("", "").replace("admin = \"127.0.0.1:0\"", "admin = \"127.0.0.1:1\"");
    gateway.configure(&text);
    let _successor = Successor::of(&gateway);
    let event = gateway.wait_for_event(|line| line["event"] == "config_warning");
    assert_eq!(
        event["warning"],
        "listen.admin: an upgrade keeps the socket of 127.0.0.1:0; only a restart applies 127.0.0.1:1"
    );
}

#[test]
fn second_gateway_leaves_the_control_socket_to_the_first() {
    let setup = || Setup {
        listen: "control_socket = \"control.sock\"",
        ..Setup::default()
    };
    let first = Gateway::set_up_live(setup());
    let second = Gateway::set_up(Setup {
        folder: Some(first.shared_folder()),
        ..setup()
    });
    let event = second.wait_for_event(|line| line["event"] == "control_socket_failed");
    let error = event["error"].as_str().unwrap();
    assert!(error.contains("another gateway"), "{error}");
    let _successor = Successor::of(&second);
    first.wait_for_event(|line| line["event"] == "upgrade_complete");
    assert_eq!(second.get("/").status, 200);
}

#[test]
fn upgrade_without_running_gateway_reports_it() {
    let mut gateway = Gateway::start();
    gateway.kill();
    let output = gateway.run("upgrade");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        error.starts_with("no gateway with this configuration is running"),
        "{error}"
    );
}
