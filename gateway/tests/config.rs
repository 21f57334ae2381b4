//! The command line, and error messages for an invalid configuration.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::support::{Gateway, Request, configuration, run_gateway};

/// Writes a configuration file into a new folder.
fn write_config(text: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("site.toml");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

/// Exit code, stdout and stderr of a command run with a configuration.
fn run_command(command: &str, path: &Path) -> (i32, String, String) {
    let output = run_gateway(&[command, "--config", path.to_str().unwrap()]);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn invalid_config_reports_every_error() {
    let text = configuration("")
        .replace("brand =", "brnad =")
        .replace("https://site.example", "site.example");
    let (folder, path) = write_config(&text);
    for command in ["check", "serve"] {
        let (code, stdout, stderr) = run_command(command, &path);
        assert_eq!((code, stdout.as_str()), (2, ""));
        let lines: Vec<&str> = stderr.lines().collect();
        assert_eq!(lines.len(), 3, "{stderr}");
        assert_eq!(
            lines[0],
            "site.toml:1: site.brand: missing; expected a non-empty string"
        );
        assert!(lines[1].starts_with("site.toml:2: site.brnad: unknown key; did you mean `brand`?"));
        assert!(lines[2].starts_with("site.toml:3: site.origin: `site.example` is not a URL"));
        assert!(!folder.path().join("store").exists());
    }
}

#[test]
fn environment_variable_overrides_config() {
    let variables = [("COLONNADE_STORE__FOLDER", "elsewhere")];
    let (_folder, path) = write_config(&configuration(""));
    let output = Command::new(env!("CARGO_BIN_EXE_gateway"))
        .args(["check", "--config", path.to_str().unwrap()])
        .envs(variables)
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(stdout, "store.folder is set by COLONNADE_STORE__FOLDER\nok\n");
    let gateway = Gateway::start_with("", &[("COLONNADE_SITE__BRAND", "Brand of the environment")]);
    assert!(gateway.get("/").text().contains("Brand of the environment"));
}

#[test]
fn empty_environment_variable_is_reported() {
    let (_folder, path) = write_config(&configuration(""));
    for (variable, key) in [
        ("COLONNADE_LISTEN__SITE", "listen.site"),
        ("COLONNADE_LIMITS__MAX_CONNECTIONS", "limits.max_connections"),
        ("COLONNADE_TELEMETRY__OTLP_ENDPOINT", "telemetry.otlp_endpoint"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_gateway"))
            .args(["serve", "--config", path.to_str().unwrap()])
            .env(variable, "")
            .output()
            .unwrap();
        let problems = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{problems}");
        assert!(
            problems.starts_with(&format!("{variable}: {key}: ")),
            "{problems}"
        );
        assert_eq!(problems.lines().count(), 1, "{problems}");
    }
}

#[test]
fn missing_secret_reports_its_line() {
    let signup = "[signup]\nbackend = \"http://127.0.0.1:1\"\nbackend_api_key = { env = \"UNSET_KEY\" }\naffiliate_subid = \"a\"\n";
    let text = configuration(signup);
    let line = text
        .lines()
        .position(|line| line.starts_with("backend_api_key ="))
        .unwrap()
        + 1;
    let (_folder, path) = write_config(&text);
    let (code, _, stderr) = run_command("serve", &path);
    assert_eq!(code, 2);
    let expected =
        format!("site.toml:{line}: signup.backend_api_key: the environment variable UNSET_KEY is not set");
    assert!(stderr.starts_with(&expected), "{stderr}");
}

#[test]
fn address_in_use_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let text = configuration("").replacen("127.0.0.1:0", &address, 1);
    let (_folder, path) = write_config(&text);
    let (code, _, stderr) = run_command("serve", &path);
    assert_eq!(code, 1);
    assert!(
        stderr.starts_with(&format!("cannot listen on {address}")),
        "{stderr}"
    );
}

#[test]
fn unusable_store_is_reported() {
    let (folder, path) = write_config(&configuration(""));
    std::fs::write(folder.path().join("store"), "not a folder").unwrap();
    let (code, _, stderr) = run_command("serve", &path);
    assert_eq!(code, 1);
    assert!(stderr.starts_with("cannot open the store: "), "{stderr}");
}

#[test]
fn token_command_prints_matching_hash() {
    let run_token_command = || String::from_utf8(run_gateway(&["token"]).stdout).unwrap();
    let output = run_token_command();
    assert_ne!(output, run_token_command(), "tokens must be random");
    let (token, hash) = output.trim_end().split_once('\n').unwrap();
    let (token, hash) = (
        token.strip_prefix("token: ").unwrap(),
        hash.strip_prefix("hash: ").unwrap(),
    );
    let digest = Sha256::digest(token)
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    assert_eq!(hash, format!("sha256:{digest}"));

    let extra = format!(
        "[[admin.tokens]]\nname = \"new\"\nhash = \"{hash}\"\nsections = [\"*\"]\nactions = [\"deploy\"]\n"
    );
    let gateway = Gateway::start_with(&extra, &[]);
    let request = Request::new("GET", "/api/v1/sections").header("authorization", &format!("Bearer {token}"));
    let response = gateway.admin.send(request);
    assert_eq!((response.status, response.json()), (200, json!([])));
}
