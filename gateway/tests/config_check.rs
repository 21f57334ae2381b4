//! What `gateway check` reports and the gateway starts with, and certificates that do not replace a better one.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use tempfile::TempDir;

use crate::support::{
    Certificate, Gateway, configuration, configuration_with_listen, run_gateway, token, wait_until,
};

/// Checks a configuration in a folder. Returns the problems that it prints, then the warnings.
fn check(folder: &TempDir, text: &str) -> Vec<String> {
    let path = folder.path().join("site.toml");
    std::fs::write(&path, text).unwrap();
    let output = run_gateway(&["check", "--config", path.to_str().unwrap()]);
    let problems = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), problems.is_empty());
    let printed = String::from_utf8(output.stdout).unwrap();
    let warnings = printed.lines().filter(|line| line.starts_with("warning: "));
    problems.lines().chain(warnings).map(ToOwned::to_owned).collect()
}

/// Panics unless there is exactly one problem for each of these texts, with a line number.
fn assert_problems(problems: &[String], expected: &[&str]) {
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    for text in expected {
        let is_reported = |line: &String| line.starts_with("site.toml:") && line.contains(text);
        assert!(problems.iter().any(is_reported), "{text}: {problems:#?}");
    }
}

#[test]
fn check_reports_expired_and_foreign_certificates() {
    let folder = TempDir::new().unwrap();
    for (host, years, problem) in [
        ("site.example", 2001..2002, Some("expired at 2002-01-01")),
        ("site.example", 2998..2999, Some("is not valid before 2998-01-01")),
        ("other.example", 2001..2999, Some("does not cover `site.example`")),
        ("site.example", 2001..2999, None),
    ] {
        let files = Certificate::valid_in(host, years).write(folder.path());
        let problems = check(&folder, &configuration(&files.table("tls")));
        match problem {
            Some(problem) => {
                assert_problems(&problems, &[problem]);
                assert!(problems[0].contains("listen.tls.certificate: "), "{problems:?}");
                assert!(problems[0].contains("/certificate.pem "), "{problems:?}");
            }
            None => assert_problems(&problems, &[]),
        }
    }
}

#[test]
fn check_reports_all_contradictions_at_once() {
    let folder = TempDir::new().unwrap();
    let files = Certificate::valid_in("other.example", 2001..2002).write(folder.path());
    std::fs::set_permissions(&files.key, Permissions::from_mode(0o644)).unwrap();
    std::fs::write(folder.path().join("store"), "a file").unwrap();
    let limits = "[limits]\nmax_connections = 10\nmax_connections_per_client = 11\n\
                  max_requests_in_flight = 20\nmax_requests_in_flight_per_client = 21\n";
    let text = configuration_with_listen(
        "allowed_hosts = [\"www.site.example\"]",
        &(files.table("tls") + limits),
    );
    let text = text.replace("127.0.0.1:0", "127.0.0.1:8443");
    assert_problems(
        &check(&folder, &text),
        &[
            "listen.admin: 127.0.0.1:8443 is the port of `listen.site`, too",
            "listen.allowed_hosts: does not contain `site.example`, the host of `site.origin`",
            "certificate.pem expired at 2002-01-01",
            "certificate.pem does not cover `site.example`",
            "certificate.pem does not cover `www.site.example`",
            "listen.tls.key: every user can read",
            "store.folder: ",
            "limits.max_connections_per_client: is 11, above `max_connections`, which is 10",
            "limits.max_requests_in_flight_per_client: is 21, above `max_requests_in_flight`, which is 20",
        ],
    );
}

#[test]
fn check_reports_errors_and_warnings_together() {
    let folder = TempDir::new().unwrap();
    let text = configuration_with_listen("allowed_hosts = [\"a.example\"]\nproxy_protocol = true", "");
    let expected = [
        "listen.allowed_hosts: does not contain `site.example`",
        "listen.proxy_protocol: no proxy is trusted",
    ];
    assert_problems(&check(&folder, &text), &expected);
}

#[test]
fn check_warns_of_expired_tokens_and_rejects_equal_ones() {
    let folder = TempDir::new().unwrap();
    let expired = token("old", &["*"], &["deploy"]) + "expires = \"2020-01-31T00:00:00Z\"\n";
    let expected = "admin.tokens.expires: `name of old` expired at 2020-01-31T00:00:00Z";
    let printed = check(&folder, &configuration(&expired));
    let warning = printed[0].strip_prefix("warning: ").unwrap().to_owned();
    assert_problems(&[warning], &[expected]);
    let [a, b] = ["op", "other"].map(|name| token(name, &["*"], &["deploy"]));
    for name in ["Name of OP", " name of op "] {
        let text = configuration(&(a.clone() + &b.replace("name of other", name)));
        let expected = format!("admin.tokens.name: `{name}` is the name of two tokens");
        assert_problems(&check(&folder, &text), &[&expected]);
    }
    let reserved = configuration(&b.replace("name of other", "Gateway"));
    assert_problems(&check(&folder, &reserved), &["`Gateway` is reserved"]);
}

#[test]
fn check_accepts_a_store_that_can_be_created() {
    let folder = TempDir::new().unwrap();
    let text =
        |store: &str| configuration("").replace("folder = \"store\"", &format!("folder = \"{store}\""));
    assert_problems(&check(&folder, &text("new/nested/store")), &[]);
    assert!(!folder.path().join("new").exists());
    assert_problems(
        &check(&folder, &text("/dev/null/store")),
        &["/dev/null is not a folder"],
    );
    assert_problems(&check(&folder, &text("/proc/store")), &["/proc is not writable"]);
}

#[test]
fn gateway_starts_with_expired_certificate_and_warns() {
    let folder = Arc::new(TempDir::new().unwrap());
    let files = Certificate::valid_in("site.example", 2001..2002).write(folder.path());
    let gateway = Gateway::start_in(folder, &files.table("tls"));
    let warning = gateway.wait_for_event(|line| line["event"] == "config_warning");
    let text = warning["warning"].as_str().unwrap();
    assert!(text.contains("expired at 2002-01-01"), "{text}");
    assert_eq!(warning["level"], "WARN");
}

#[test]
fn certificate_that_lacks_a_host_is_replaced_by_no_worse_one() {
    let folder = Arc::new(TempDir::new().unwrap());
    let incomplete = Certificate::valid_in("site.example", 2001..2999);
    let files = incomplete.write(folder.path());
    let table = files.table("tls");
    let gateway = Gateway::start_in(Arc::clone(&folder), &table);
    // The certificate does not cover a host that is added later.
    let hosts = "allowed_hosts = [\"site.example\", \"www.site.example\"]";
    gateway.reload(&configuration_with_listen(hosts, &table));
    gateway.wait_for_event(|line| line["event"] == "config_reloaded");
    for (host, years, problem) in [
        ("site.example", 2001..2002, "expired at"),
        ("www.site.example", 2001..2999, "does not cover `site.example`"),
    ] {
        Certificate::valid_in(host, years).write(folder.path());
        gateway.signal("HUP");
        gateway.wait_for_event(|line| {
            let error = line["error"].as_str().unwrap_or_default();
            line["event"] == "certificate_reload_failed" && error.contains(problem)
        });
        assert_eq!(incomplete.get(&gateway.site).unwrap().status, 503);
    }
    let expiry = "colonnade_certificate_expiry_timestamp_seconds{listener=\"site\"}";
    let before = gateway.metric(expiry);
    let renewed = Certificate::valid_in("site.example", 2002..3000);
    renewed.write(folder.path());
    gateway.signal("HUP");
    wait_until("the renewed certificate is served", || {
        gateway.metric(expiry) > before
    });
    assert_eq!(renewed.get(&gateway.site).unwrap().status, 503);
}

#[test]
fn rejected_certificate_never_replaces_a_good_one() {
    let folder = Arc::new(TempDir::new().unwrap());
    let good = Certificate::valid_in("site.example", 2001..2999);
    let files = good.write(folder.path());
    let gateway = Gateway::start_in(Arc::clone(&folder), &files.table("tls"));
    let expiry = "colonnade_certificate_expiry_timestamp_seconds{listener=\"site\"}";
    let at_start = gateway.metric(expiry);
    for (host, years, problem) in [
        ("site.example", 2001..2002, "expired at"),
        ("site.example", 2998..2999, "is not valid before"),
        ("other.example", 2001..2999, "does not cover `site.example`"),
    ] {
        Certificate::valid_in(host, years).write(folder.path());
        gateway.signal("HUP");
        gateway.wait_for_event(|line| {
            let error = line["error"].as_str().unwrap_or_default();
            line["event"] == "certificate_reload_failed" && error.contains(problem)
        });
        assert_eq!(good.get(&gateway.site).unwrap().status, 503);
        assert_eq!(gateway.metric(expiry), at_start);
    }
    let renewed = Certificate::valid_in("site.example", 2002..3000);
    renewed.write(folder.path());
    gateway.signal("HUP");
    gateway.wait_for_event(|line| line["event"] == "certificate_reloaded");
    assert_eq!(renewed.get(&gateway.site).unwrap().status, 503);
    assert!(gateway.metric(expiry) > at_start);
}
