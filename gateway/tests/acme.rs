//! Certificates from a certificate authority, with Pebble.

use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use colonnade_testing_s3::S3Server;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::json;
use tempfile::TempDir;

use crate::object_storage::{self, CREDENTIALS};
use crate::support::{
    Backend, Certificate, Gateway, Pebble, Setup, Tls, free_port, now, tls_client, wait_until,
};
use crate::webhooks::{VARIABLES, accepted, messages, webhook};

/// A loopback address that no process listens on.
fn free_address() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()))
}

/// The certificates in the store, the gateway's own first.
fn chain(gateway: &Gateway) -> Vec<CertificateDer<'static>> {
    let path = gateway.store().join("acme/certificate.pem");
    let certificates = CertificateDer::pem_file_iter(path).unwrap();
    certificates.map(Result::unwrap).collect()
}

/// Whether the gateway serves the certificate in its store.
fn serves_issued(gateway: &Gateway, other: &Gateway) -> bool {
    let mut roots = RootCertStore::empty();
    roots.add(chain(gateway)[1].clone()).unwrap();
    Tls::connect(&other.site, &Arc::new(tls_client(roots))).is_ok()
}

/// Stores a certificate that is valid, but past two thirds of its lifetime.
fn store_due_certificate(folder: &TempDir) -> Certificate {
    let acme = folder.path().join("store/acme");
    std::fs::create_dir_all(&acme).unwrap();
    let now = jiff::tz::TimeZone::UTC.to_datetime(now());
    let certificate = Certificate::valid_in("site.example", 2001..i32::from(now.year()) + 1);
    let files = certificate.write(folder.path());
    let pem = [files.certificate, files.key].map(|path| std::fs::read_to_string(path).unwrap());
    std::fs::write(acme.join("certificate.pem"), pem.concat()).unwrap();
    certificate
}

#[test]
fn certificate_is_renewed_by_each_challenge() {
    for challenge in ["http-01", "tls-alpn-01"] {
        let (site, port) = (free_address(), free_port());
        let Some(pebble) = Pebble::start(port, site.port()) else {
            return;
        };
        let folder = Arc::new(TempDir::new().unwrap());
        let old = store_due_certificate(&folder);
        let gateway = Gateway::set_up(Setup {
            folder: Some(folder),
            listen: &format!("redirect_http = \"127.0.0.1:{port}\""),
            extra: &pebble.table(challenge),
            site: Some(site),
            ..Setup::default()
        });
        gateway.wait_for_event(|line| line["event"] == "acme_certificate_issued");
        wait_until("the certificate is served", || serves_issued(&gateway, &gateway));
        assert!(!old.serves("site.example", &gateway.site));
        assert_eq!(
            gateway.metric("colonnade_acme_orders_total{outcome=\"issued\"}"),
            1
        );
        for file in ["account.json", "certificate.pem"] {
            let metadata = gateway.store().join("acme").join(file).metadata().unwrap();
            assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{file}");
        }
        // Nothing but the certificate in use is ordered, also after a restart and at another gateway.
        let before = chain(&gateway);
        let another = gateway.start_another_with(&pebble.table("tls-alpn-01"));
        wait_until("the certificate is served", || serves_issued(&gateway, &another));
        let orders = another.metric("colonnade_acme_orders_total{outcome=\"issued\"}");
        assert_eq!((orders, chain(&gateway)), (0, before));
    }
}

#[test]
fn failed_order_keeps_the_old_certificate() {
    let folder = Arc::new(TempDir::new().unwrap());
    let old = store_due_certificate(&folder);
    let receiver = Backend::start(accepted());
    let gateway = Gateway::set_up(Setup {
        folder: Some(folder),
        extra: &(unreachable_authority() + &webhook(&receiver, r#""certificate.failing""#)),
        variables: VARIABLES,
        ..Setup::default()
    });
    gateway.wait_for_event(|line| line["event"] == "acme_failed");
    assert_eq!(orders(&gateway, "failed"), 1);
    let message = &messages(&receiver, 1)[0];
    assert_eq!(
        (&message["type"], &message["data"]["subject"]),
        (&json!("certificate.failing"), &json!("site.example"))
    );
    assert!(old.serves("site.example", &gateway.site));
}

#[test]
fn missing_first_certificate_is_reported() {
    let authority = unreachable_authority();
    let gateway = Gateway::start_live(&authority, &[]);
    let event = gateway.wait_for_event(|line| line["event"] == "acme_failed");
    assert!(authority.contains(event["directory"].as_str().unwrap()));
    let error = event["error"].as_str().unwrap();
    assert!(error.contains("Connection refused"), "{error}");
    let readiness = gateway.admin.get("/readyz");
    assert_eq!(
        (readiness.status, readiness.text()),
        (
            200,
            "degraded: the site listener has no valid certificate\n".to_owned()
        )
    );
    let metrics = gateway.admin.get("/metrics");
    let expiry = "colonnade_certificate_expiry_timestamp_seconds{listener=\"site\"} 0\n";
    assert!(metrics.text().contains(expiry), "{}", metrics.text());
}

/// The table of a certificate authority that does not exist.
fn unreachable_authority() -> String {
    let port = free_port();
    format!(
        "[listen.acme]\ndirectory = \"https://localhost:{port}/dir\"\nterms_of_service_agreed = true\n\
         poll_interval_ms = 200\n"
    )
}

/// The number of orders of a gateway.
fn orders(gateway: &Gateway, outcome: &str) -> u64 {
    gateway.metric(&format!("colonnade_acme_orders_total{{outcome=\"{outcome}\"}}"))
}

/// Starts a gateway on a store with this certificate authority.
type Start<'s> = dyn Fn(Option<SocketAddr>, &str) -> Gateway + 's;

/// Checks that one of the gateways on a store orders, another one answers the challenge, and all serve the certificate.
fn check_gateways_order_once(start: &Start<'_>) {
    let site = free_address();
    let Some(pebble) = Pebble::start(free_port(), site.port()) else {
        return;
    };
    // The authority reaches only this gateway, which cannot order.
    let answering = start(Some(site), &unreachable_authority());
    answering.wait_for_event(|line| line["event"] == "acme_failed");
    let table = pebble.table("tls-alpn-01");
    let ordering = [(); 2].map(|()| start(None, &table));
    for gateway in ordering.iter().chain([&answering]) {
        gateway.wait_for_event(|line| line["event"] == "certificate_reloaded");
        assert!(serves_issued(&ordering[0], gateway));
    }
    let total = |outcome| -> u64 { ordering.iter().map(|gateway| orders(gateway, outcome)).sum() };
    assert_eq!((total("issued"), total("failed")), (1, 0));
}

#[test]
fn gateways_on_one_folder_order_once() {
    let folder = Arc::new(TempDir::new().unwrap());
    check_gateways_order_once(&|site, extra| {
        Gateway::set_up(Setup {
            folder: Some(Arc::clone(&folder)),
            extra,
            site,
            ..Setup::default()
        })
    });
}

#[test]
fn gateways_on_one_bucket_order_once() {
    let server = S3Server::start();
    let start = |keys: &str, site, extra: &str| {
        Gateway::set_up(Setup {
            extra: &(object_storage::keys(&server, "s3://releases/site") + keys + extra),
            site,
            variables: &CREDENTIALS,
            ..Setup::default()
        })
    };
    check_gateways_order_once(&|site, extra| start("", site, extra));
    if server.requests_below("PUT", "site/acme/certificate.pem") == 0 {
        return;
    }
    // One that only reads the bucket finds the certificate.
    let reading = start("read_only = true\n", None, &unreachable_authority());
    reading.wait_for_event(|line| line["event"] == "certificate_reloaded");
    assert_eq!(orders(&reading, "failed"), 0);
    let file = reading.store().join("acme/certificate.pem");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn wildcard_certificate_is_issued_by_dns_records() {
    let Some(pebble) = Pebble::start(free_port(), free_port()) else {
        return;
    };
    let folder = Arc::new(TempDir::new().unwrap());
    let table = pebble.table("dns-01") + "names = [\"site.example\", \"*.site.example\"]\n";
    let refusing = Gateway::start_with(&(table.clone() + "dns_hook = [\"/bin/false\"]\n"), &[]);
    let gateway = Gateway::start_in(Arc::clone(&folder), &(table + &pebble.dns_hook(folder.path())));
    gateway.wait_for_event(|line| line["event"] == "acme_certificate_issued");
    wait_until("the certificate is served", || serves_issued(&gateway, &gateway));
    let calls = std::fs::read_to_string(folder.path().join("calls")).unwrap();
    let calls: Vec<Vec<&str>> = calls.lines().map(|line| line.split(' ').collect()).collect();
    assert_eq!(calls.len(), 4, "{calls:?}");
    for (call, action) in calls.iter().zip(["present", "present", "cleanup", "cleanup"]) {
        assert_eq!((call[0], call[1]), (action, "_acme-challenge.site.example"));
    }
    assert_ne!(calls[0][2], calls[1][2], "each name has a value of its own");
    assert_eq!([calls[0][2], calls[1][2]], [calls[2][2], calls[3][2]]);
    let failed = refusing.wait_for_event(|line| line["event"] == "acme_failed");
    let error = failed["error"].as_str().unwrap();
    let expected = "`/bin/false present _acme-challenge.site.example` failed: exit status: 1";
    assert!(error.contains(expected), "{error}");
}
