//! Upstreams over TLS.

use tempfile::TempDir;

use crate::support::{Certificate, Gateway, upstream_table};

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
