//! The redirect listener: plain HTTP is redirected to the https origin.

use tempfile::TempDir;

use crate::support::{Client, Gateway, Request, Setup, Successor, configuration_with_listen, run_gateway};

const REDIRECT: &str = "redirect_http = \"127.0.0.1:0\"";

/// A gateway with a redirect listener, and a client of that listener.
fn redirecting() -> (Gateway, Client) {
    let gateway = Gateway::set_up(Setup {
        listen: &format!("{REDIRECT}\nallowed_hosts = [\"site.example\"]"),
        ..Setup::default()
    });
    let listening = gateway.wait_for_event(|line| line["event"] == "listening");
    let client = Client::new(listening["redirect"].as_str().unwrap().parse().unwrap());
    (gateway, client)
}

#[test]
fn plain_http_is_redirected_to_the_origin() {
    let (gateway, client) = redirecting();
    for (method, host, target) in [
        ("GET", "site.example", "/"),
        ("HEAD", "site.example", "/state/texas?page=2&q=%20"),
        ("POST", "site.example:80", "/_report"),
        // Neither the host nor the path can lead elsewhere.
        ("GET", "attacker.example", "//attacker.example/%2e%2e"),
        ("GET", "127.0.0.1", "/healthz"),
    ] {
        let response = client.send(Request::new(method, target).header("host", host));
        assert_eq!(response.status, 308, "{target}");
        assert_eq!(
            response.header("location"),
            format!("https://site.example{target}")
        );
        // Browsers would ignore it.
        assert!(!response.has("strict-transport-security"));
        assert_eq!(response.header("cache-control"), "no-store");
    }
    let invalid = client.send(Request::new("GET", "/").header("host", "a b"));
    assert_eq!(invalid.status, 400);
    let redirects = "colonnade_http_requests_total{listener=\"redirect\",kind=\"other\",code_class=\"3xx\"}";
    assert_eq!(gateway.metric(redirects), 5);
}

#[test]
fn upgrade_passes_on_the_redirect_socket() {
    let (gateway, client) = redirecting();
    // An upgrade needs a live deployment.
    let gateway = gateway.with_live_site();
    let _successor = Successor::of(&gateway);
    gateway.wait_for_event(|line| line["event"] == "shutdown_complete");
    assert_eq!(client.get("/about").status, 308);
}

#[test]
fn check_reports_contradicting_redirect_listeners() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("site.toml");
    let check = |text: String| {
        std::fs::write(&path, text).unwrap();
        let output = run_gateway(&["check", "--config", path.to_str().unwrap()]);
        String::from_utf8(output.stderr).unwrap()
    };
    let text = configuration_with_listen("redirect_http = \"0.0.0.0:8080\"", "");
    assert_eq!(check(text.clone()), "");
    let problems = check(text.replace("https://site.example", "http://localhost:8080"));
    assert!(
        problems.contains("listen.redirect_http: redirects to http://localhost:8080"),
        "{problems}"
    );
    let problems = check(text.replacen("127.0.0.1:0", "127.0.0.1:8080", 1));
    assert!(
        problems.contains("listen.redirect_http: 0.0.0.0:8080 is the port of `listen.site`"),
        "{problems}"
    );
}
