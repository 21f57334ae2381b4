//! The file with tokens of the admin API, which is read again when it changes.

use std::sync::Arc;

use tempfile::TempDir;

use crate::identity::list;
use crate::support::{Gateway, TOKEN, configuration, token, wait_until};

/// The tables of a token file.
fn token_file(tokens: &[&str]) -> String {
    let tables = tokens.iter().map(|name| token(name, &["*"], &["deploy"]));
    tables.collect()
}

#[test]
fn token_file_is_read_again_when_it_changes() {
    let folder = Arc::new(TempDir::new().unwrap());
    let path = folder.path().join("tokens.toml");
    let write = |text: &str| {
        let temporary = folder.path().join("new");
        std::fs::write(&temporary, text).unwrap();
        std::fs::rename(&temporary, &path).unwrap();
    };
    let table = "[admin]\ntoken_file = \"tokens.toml\"\n";
    // It is missing.
    let gateway = Gateway::start_in(Arc::clone(&folder), table);
    let statuses = || ["one", "two", TOKEN].map(|token| list(&gateway, token).status);
    let is_loaded = |value: u64| {
        let sample = "colonnade_token_file_last_reload_successful";
        wait_until("the state of the file is known", || {
            gateway.metric(sample) == value
        });
    };
    is_loaded(0);
    assert_eq!(statuses(), [401, 401, 200]);
    gateway.reload("broken");
    gateway.wait_for_event(|line| line["event"] == "config_reload_failed");
    write(&(token_file(&["one"]) + "expires = \"2999-01-31T00:00:00Z\"\n"));
    gateway.wait_for_event(|line| line["event"] == "token_file_reloaded");
    is_loaded(1);
    assert_eq!(statuses(), [200, 401, 200]);
    // The file says nothing about the rest of the configuration.
    assert_eq!(gateway.metric("colonnade_config_last_reload_successful"), 0);
    gateway.reload_and_wait(&configuration(table));
    assert_eq!(gateway.metric("colonnade_config_last_reload_successful"), 1);
    let expiry = "colonnade_token_expiry_timestamp_seconds{token=\"name of one\"} 32474736000\n";
    let metrics = || gateway.admin.get("/metrics").text();
    assert!(metrics().contains(expiry), "{}", metrics());
    write(&token_file(&["one", "two"]));
    wait_until("both tokens apply", || statuses() == [200; 3]);
    assert!(!metrics().contains("colonnade_token_expiry_timestamp_seconds{"));
    write("[[admin.tokens]]\nname = \"three\"\n");
    let missing = "tokens.toml:1: admin.tokens.hash: missing; expected `sha256:`";
    gateway.wait_for_event(|line| {
        line["event"] == "token_file_reload_failed" && line["error"].as_str().unwrap().contains(missing)
    });
    is_loaded(0);
    // Also a reload of the rest keeps the tokens.
    gateway.reload_and_wait(&configuration(table));
    is_loaded(0);
    assert_eq!(statuses(), [200; 3]);
    let check = gateway.run("check");
    let problems = String::from_utf8(check.stderr).unwrap();
    assert!(
        problems.contains("admin.token_file: tokens.toml:1: admin.tokens.hash"),
        "{problems}"
    );
    let expired = token_file(&["old"]) + "expires = 2020-01-31T00:00:00Z\n";
    write(&expired);
    gateway.wait_for_event(|line| {
        line["event"] == "config_warning" && line.to_string().contains("tokens.toml:6: admin.tokens.expires")
    });
    assert_eq!(statuses(), [401, 401, 200]);
    assert_eq!(gateway.run("check").status.code(), Some(0));
}
