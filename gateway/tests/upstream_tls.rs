//! What the gateway calls over TLS and over plain HTTP: upstreams, the collector of traces, the object store.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::ServerConfig;
use tempfile::TempDir;

use crate::support::{
    Certificate, Files, Gateway, Protocol, Upstream, configuration, run_gateway, upstream_table,
};

#[test]
fn upstream_over_tls_needs_trusted_certificate() {
    let certificate = Certificate::valid_in("localhost", 2020..2040);
    let folder = TempDir::new().unwrap();
    let files = certificate.write(folder.path());
    let tls = format!(
        "[listen.tls]\ncertificate = {:?}\nkey = {:?}\n",
        files.certificate, files.key
    );
    let backend = Gateway::start_with(&tls, &[]);
    let url = format!("https://localhost:{}", backend.site.address().port());
    let table = upstream_table(&[&url], "max_retries = 0\nconnect_timeout_ms = 10000");
    let trusted = files.certificate.to_str().unwrap();
    for (variables, status) in [(&[("SSL_CERT_FILE", trusted)][..], 200), (&[], 502)] {
        let gateway = Gateway::start_with(&table, variables);
        assert_eq!(gateway.get("/api/events/healthz").status, status);
    }
    let gateway = Gateway::start_with(&table, &[]);
    gateway.get("/api/events/healthz");
    let failed = gateway.wait_for_event(|line| line["event"] == "upstream_failed");
    assert!(failed["error"].to_string().contains("certificate"), "{failed}");
}

/// A server whose clients need a certificate, and the files of both sides.
struct MutualTls {
    server: Upstream,
    root: PathBuf,
    client: Files,
    _folder: TempDir,
}

impl MutualTls {
    fn start() -> Self {
        Self::start_with(Upstream::start_tls)
    }

    fn start_with(start: impl FnOnce(Arc<ServerConfig>) -> Upstream) -> Self {
        let folder = TempDir::new().unwrap();
        let [server, client] = ["localhost", "client"].map(|host| Certificate::valid_in(host, 2020..2040));
        Self {
            server: start(server.server_config(&client)),
            root: server.write_as("server-", folder.path()).certificate,
            client: client.write_as("client-", folder.path()),
            _folder: folder,
        }
    }

    /// The base URL.
    fn origin(&self) -> String {
        format!("https://localhost:{}", self.server.address().port())
    }

    /// The two keys, whose names begin like this.
    fn keys(&self, prefix: &str) -> String {
        let (root, client) = (&self.root, self.client.value());
        format!("{prefix}root_certificate = {root:?}\n{prefix}client_certificate = {client}\n")
    }
}

#[test]
fn upstream_gets_the_certificate_that_it_demands() {
    let tls = MutualTls::start();
    let root = format!("root_certificate = {:?}\n", tls.root);
    for (keys, status) in [(tls.keys(""), 200), (root, 502), (String::new(), 502)] {
        let keys = keys + "max_retries = 0\nconnect_timeout_ms = 10000\nkeepalive_timeout_ms = 0";
        let gateway = Gateway::start_with(&upstream_table(&[&tls.origin()], &keys), &[]);
        assert_eq!(gateway.get("/api/events/1").status, status, "{keys}");
        if status == 200 {
            // The server does not know the next certificate, and no start is needed to use it.
            let other = Certificate::valid_in("other", 2020..2040);
            other.write_as("client-", tls.client.key.parent().unwrap());
            assert_eq!(gateway.get("/api/events/2").status, 502);
        }
    }
}

#[test]
fn collector_gets_the_certificate_that_it_demands() {
    for (protocol, key, path) in [
        (Protocol::Http1, "http", "/v1/traces"),
        (
            Protocol::Grpc,
            "grpc",
            "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
        ),
    ] {
        let tls = MutualTls::start_with(|config| Upstream::collector(protocol, true, Some(config)));
        let telemetry = format!(
            "[telemetry]\notlp_endpoint = \"{}\"\notlp_protocol = \"{key}\"\n{}",
            tls.origin(),
            tls.keys("otlp_")
        );
        let mut gateway = Gateway::start_with(&telemetry, &[]);
        gateway.get("/");
        gateway.signal("TERM");
        gateway.wait_for_exit();
        let received = tls.server.received();
        assert!(
            received.iter().any(|request| request.target.ends_with(path)),
            "{received:?}"
        );
    }
}

#[test]
fn object_store_gets_the_certificate_that_it_demands() {
    let tls = MutualTls::start();
    let keys = format!(
        "url = \"s3://releases\"\nendpoint = \"{}\"\n{}[store.access_key]\nid = \"id\"\nsecret = {{ file = \"secret\" }}\n",
        tls.origin(),
        tls.keys("")
    );
    let folder = TempDir::new().unwrap();
    let config = folder.path().join("site.toml");
    std::fs::write(folder.path().join("secret"), "secret").unwrap();
    std::fs::write(&config, configuration(&keys)).unwrap();
    // What the server answers is no store.
    let output = run_gateway(&["store", "ls", "--config", config.to_str().unwrap()]);
    assert!(!tls.server.received().is_empty(), "{output:?}");
}

#[test]
fn plain_http_to_another_machine_needs_permission() {
    let server = Upstream::json("{}");
    // It leads to this machine, but the gateway cannot know that.
    let url = format!("http://0.0.0.0:{}", server.address().port());
    let tables = |[upstream, otlp]: [&str; 2]| {
        let table = upstream_table(&[&url], upstream);
        format!("{table}[telemetry]\notlp_endpoint = \"{url}\"\n{otlp}")
    };
    let folder = TempDir::new().unwrap();
    let config = folder.path().join("site.toml");
    let check = |extra: &str| {
        std::fs::write(&config, configuration(extra)).unwrap();
        let output = run_gateway(&["check", "--config", config.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let problems = check(&tables([""; 2]));
    assert_eq!(problems.matches("is not encrypted").count(), 2, "{problems}");
    // No key permits it to send sign-ups.
    let signup = "[signup]\nbackend = \"http://192.0.2.1\"\nallow_plain_http = true\n";
    let problems = check(signup);
    for problem in [
        "signup.backend: `http://192.0.2.1` is not encrypted",
        "signup.allow_plain_http: unknown key",
    ] {
        assert!(problems.contains(problem), "{problems}");
    }
    let permitted = tables(["allow_plain_http = true", "otlp_allow_plain_http = true"]);
    let mut gateway = Gateway::start_with(&permitted, &[]);
    assert_eq!(gateway.get("/api/events/1").status, 200);
    gateway.signal("TERM");
    gateway.wait_for_exit();
    let received = server.received();
    assert!(
        received.iter().any(|request| request.target == "/v1/traces"),
        "{received:?}"
    );
}
