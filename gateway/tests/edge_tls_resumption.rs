//! Session tickets: a client resumes a session, also after a restart and at another gateway on the same store.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use jiff::SignedDuration;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, HandshakeKind};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Certificate, Client, Gateway, Tls, now};

struct ResumingSite {
    gateway: Gateway,
    table: String,
    /// Clients with a session cache each, of TLS 1.3 and 1.2.
    clients: [Arc<ClientConfig>; 2],
}

/// A gateway with one certificate in these tables of `[listen]`.
fn resuming_site(tables: &[&str]) -> ResumingSite {
    let folder = Arc::new(TempDir::new().unwrap());
    let certificate = Certificate::new();
    let files = certificate.write(folder.path());
    let table: String = tables.iter().map(|name| files.table(name)).collect();
    let gateway = Gateway::start_in(folder, &table);
    let mut older = aws_lc_rs::default_provider();
    older.cipher_suites.retain(|suite| suite.tls13().is_none());
    let clients = [
        certificate.client_config(&[]),
        certificate.client_config_with(older, &[]),
    ];
    ResumingSite {
        gateway,
        table,
        clients: clients.map(Arc::new),
    }
}

/// Whether a connection resumes a session. Each connection gets new tickets.
fn resumes(client: &Arc<ClientConfig>, listener: &Client) -> bool {
    let mut tls = Tls::connect(listener, client).unwrap();
    tls.exchange().unwrap();
    tls.handshake_kind() == HandshakeKind::Resumed
}

/// Makes all keys older.
fn age_keys(gateway: &Gateway, hours: i64) {
    let path = gateway.store().join("ticket-keys.json");
    let mut keys: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let created_at = now() - SignedDuration::from_hours(hours);
    for key in keys["keys"].as_array_mut().unwrap() {
        key["createdAt"] = created_at.to_string().into();
    }
    std::fs::write(&path, keys.to_string()).unwrap();
}

#[test]
fn session_resumes_after_restart_and_at_another_gateway() {
    let ResumingSite {
        gateway,
        table,
        clients,
    } = resuming_site(&["tls"]);
    for client in &clients {
        assert!(!resumes(client, &gateway.site));
        assert!(resumes(client, &gateway.site));
    }
    let gateway = gateway.kill_and_restart(&table);
    for client in &clients {
        assert!(resumes(client, &gateway.site));
    }
    let resumed = |key_exchange| {
        let labels = format!("listener=\"site\",kind=\"resumed\",key_exchange=\"{key_exchange}\"");
        gateway.metric(&format!("colonnade_tls_handshakes_total{{{labels}}}"))
    };
    // TLS 1.2 resumes without a key exchange.
    assert_eq!((resumed("X25519MLKEM768"), resumed("other")), (1, 1));
    let other = gateway.start_another_with(&table);
    for client in &clients {
        assert!(resumes(client, &other.site));
    }
}

#[test]
fn ticket_of_one_listener_resumes_nothing_at_another() {
    let ResumingSite { gateway, clients, .. } = resuming_site(&["tls", "admin_tls"]);
    for client in &clients {
        assert!(!resumes(client, &gateway.site));
        assert!(!resumes(client, &gateway.admin));
        assert!(resumes(client, &gateway.admin));
    }
}

#[test]
fn rotated_ticket_keys_resume_sessions_for_their_lifetime() {
    let ResumingSite {
        gateway,
        table,
        clients,
    } = resuming_site(&["tls"]);
    for client in &clients {
        assert!(!resumes(client, &gateway.site));
    }
    let keys = |gateway: &Gateway| {
        let text = std::fs::read(gateway.store().join("ticket-keys.json")).unwrap();
        let keys: Value = serde_json::from_slice(&text).unwrap();
        keys["keys"].as_array().unwrap().len()
    };
    age_keys(&gateway, 13);
    let gateway = gateway.kill_and_restart(&table);
    assert_eq!(keys(&gateway), 2);
    for client in &clients {
        assert!(resumes(client, &gateway.site));
    }
    age_keys(&gateway, 25);
    let gateway = gateway.kill_and_restart(&table);
    assert_eq!(keys(&gateway), 1);
    for client in &clients {
        assert!(!resumes(client, &gateway.site));
        assert!(resumes(client, &gateway.site));
    }
}

#[test]
fn ticket_keys_are_secret_and_not_backed_up() {
    let gateway = resuming_site(&["tls"]).gateway;
    let path = gateway.store().join("ticket-keys.json");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&path).unwrap();
    let keys: Value = serde_json::from_str(&text).unwrap();
    let secret = keys["keys"][0]["secret"].as_str().unwrap();
    assert!(!gateway.output().contains(secret));
    // Without TLS there are no tickets.
    let plain = Gateway::start().with_live_site();
    assert!(!plain.store().join("ticket-keys.json").exists());
    std::fs::copy(&path, plain.store().join("ticket-keys.json")).unwrap();
    let backup = plain.folder().join("backup");
    let (code, output) = plain.store_command(&["backup", backup.to_str().unwrap()]);
    assert_eq!(code, 0, "{output}");
    assert!(backup.join("live.json").exists() && !backup.join("ticket-keys.json").exists());
}

#[test]
fn unusable_ticket_keys_only_cost_full_handshakes() {
    let ResumingSite {
        gateway,
        table,
        clients,
    } = resuming_site(&["tls"]);
    std::fs::write(gateway.store().join("ticket-keys.json"), r#"{ "schema": 2 }"#).unwrap();
    let gateway = gateway.kill_and_restart(&table);
    gateway.wait_for_event(|line| line["event"] == "ticket_keys_failed");
    for client in &clients {
        assert!(!resumes(client, &gateway.site));
        assert!(!resumes(client, &gateway.site));
    }
}
