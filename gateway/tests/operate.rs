//! `gateway status`, `gateway rollback` and `gateway abort`, with the words and the exit codes of `colonnade`.

use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Certificate, Gateway, Release, Request, Setup, TOKEN, free_port};

/// Runs a command of the gateway's binary with its configuration and a token. Returns the exit code, and what it prints to
/// stdout and stderr.
fn run(gateway: &Gateway, token: &str, arguments: &[&str]) -> (i32, String, String) {
    // An empty variable is none.
    let variables = [("COLONNADE_TOKEN", token), ("COLONNADE_ADMIN", "")];
    run_with(gateway, &variables, arguments)
}

fn command(gateway: &Gateway, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
    command
        .args(arguments)
        .arg("--config")
        .arg(gateway.config())
        .env("COLONNADE_TOKEN", TOKEN);
    command
}

/// The same with these environment variables.
fn run_with(gateway: &Gateway, variables: &[(&str, &str)], arguments: &[&str]) -> (i32, String, String) {
    let output = command(gateway, arguments)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Starts a gateway whose configuration has the port of the admin listener.
fn start(folder: Arc<TempDir>, listen: &str, extra: &str) -> Gateway {
    Gateway::set_up_live(Setup {
        folder: Some(folder),
        admin: Some(&format!("127.0.0.1:{}", free_port())),
        listen,
        extra,
        ..Setup::default()
    })
}

#[test]
fn operator_needs_only_the_binary_of_the_gateway() {
    let mut gateway = start(Arc::new(TempDir::new().unwrap()), "", "");
    let ok = |arguments: &[&str]| {
        let (code, out, err) = run(&gateway, TOKEN, arguments);
        assert_eq!(code, 0, "{err}");
        (out, err)
    };
    let (status, _) = ok(&["status"]);
    let lines: Vec<&str> = status.lines().collect();
    let columns = |line: &str| -> Vec<String> {
        line.split("  ")
            .filter(|cell| !cell.is_empty())
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    assert_eq!(lines[..2], ["deployment 1 is live", ""]);
    assert_eq!(
        columns(lines[2])[..5],
        ["section", "live", "live commit", "candidate", "newest release"]
    );
    assert_eq!(columns(lines[3])[..5], ["directory", "1.0.0", "-", "-", "1.0.0"]);
    assert!(columns(lines[3])[5].ends_with(" UTC"), "{status}");
    let (of_shell, _) = ok(&["status", "--section", "shell"]);
    assert_eq!(of_shell.lines().count(), 4, "{of_shell}");
    assert!(of_shell.contains("\nshell "), "{of_shell}");

    gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
    gateway.deploy(&json!({ "directory": "1.1.0" }));
    let expected = (
        "deployment 3 is live, with directory@1.0.0\n",
        "directory: 1.1.0 -> 1.0.0\n",
    );
    let (out, err) = ok(&["rollback", "--section", "directory", "--reason", "broken"]);
    assert_eq!((out.as_str(), err.as_str()), expected);
    let history = gateway.admin_request(Request::new("GET", "/api/v1/history"));
    assert!(history.text().contains("broken"), "{}", history.text());

    gateway.post_deployment(&json!({ "releases": { "directory": "1.1.0" }, "percent": 10 }));
    let (status, _) = ok(&["status", "--json"]);
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!(
        (&status["live"], &status["rollouts"][0]["percent"]),
        (&json!(3), &json!(10))
    );
    let (status, _) = ok(&["status"]);
    let row = columns(status.lines().nth(3).unwrap());
    assert_eq!(
        row[..5],
        ["directory", "4", "10%", "-", "too few samples"],
        "{status}"
    );
    let (out, _) = ok(&["abort", "--section", "directory"]);
    assert_eq!(out, "rollout of deployment 4 aborted; deployment 3 stays live\n");

    for (token, arguments, expected, message) in [
        (
            TOKEN,
            &["abort", "--section", "directory"][..],
            4,
            "POST /api/v1/rollouts/directory/abort: 409 ",
        ),
        (
            TOKEN,
            &["rollback", "--deployment", "77"],
            4,
            "POST /api/v1/rollback/plan: ",
        ),
        ("wrong", &["status"], 5, "GET /api/v1/deployments: 401 "),
        ("", &["status"], 2, "COLONNADE_TOKEN has no token"),
        (TOKEN, &["rollback"], 2, "--section"),
        (
            TOKEN,
            &["status", "--section", "none"],
            2,
            "no release of `none` is published",
        ),
        (
            TOKEN,
            &["status", "--token-file", "/no/such/file"],
            2,
            "/no/such/file cannot be read: No such file or directory",
        ),
    ] {
        let (code, out, err) = run(&gateway, token, arguments);
        assert_eq!((code, out.as_str()), (expected, ""), "{err}");
        assert!(err.contains(message), "{err}");
    }
    for arguments in [
        &["status"][..],
        &["check"],
        &["store", "ls"],
        &["store", "cat", "live.json"],
    ] {
        // `head` ends before the command prints.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(&gateway, arguments).stdout(writer).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), &*err), (Some(0), ""), "{arguments:?}");
    }
    gateway.kill();
    let (code, _, err) = run(&gateway, TOKEN, &["status"]);
    assert_eq!(code, 6);
    assert!(
        err.starts_with("cannot reach the gateway at http://127.0.0.1:"),
        "{err}"
    );
}

#[test]
fn admin_listener_with_tls_is_reached_by_certificates() {
    let folder = Arc::new(TempDir::new().unwrap());
    // No name of the certificate is that of this machine.
    let files = Certificate::valid_in("admin.example", 2001..2999).write(folder.path());
    let client = Certificate::of_client("spiffe://acme.example/ops").write_as("client-", folder.path());
    let grant = "[[admin.grants]]\nprovider = \"client-certificate\"\n\
                 claims = { uri = \"spiffe://acme.example/ops\" }\nsections = [\"*\"]\nactions = [\"deploy\"]\n";
    let listen = "admin_client_authorities = \"client-certificate.pem\"";
    let gateway = start(Arc::clone(&folder), listen, &(files.table("admin_tls") + grant));
    let (certificate, key) = ("COLONNADE_CLIENT_CERTIFICATE", "COLONNADE_CLIENT_KEY");
    let own = [
        (certificate, client.certificate.to_str().unwrap()),
        (key, client.key.to_str().unwrap()),
    ];
    let (code, out, err) = run_with(&gateway, &[own[0], own[1], ("COLONNADE_TOKEN", "")], &["status"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("deployment 1 is live\n"), "{out}");
    let other = Certificate::valid_in("admin.example", 2001..2999).write_as("other-", folder.path());
    let other = other.certificate.to_str().unwrap();
    for (variables, expected, message) in [
        // A server with another certificate gets neither the token nor the name of the client.
        (
            &[
                own[0],
                own[1],
                ("COLONNADE_LISTEN__ADMIN_TLS__CERTIFICATE", other),
            ][..],
            6,
            "cannot reach the gateway at https://127.0.0.1:",
        ),
        (&[], 6, "cannot reach the gateway at https://127.0.0.1:"),
        (
            &[own[0]],
            2,
            "expected both COLONNADE_CLIENT_CERTIFICATE and COLONNADE_CLIENT_KEY",
        ),
        (&[own[0], (key, other)], 2, "COLONNADE_CLIENT_KEY cannot be used"),
        (
            &[own[0], (key, "/no/such/file")],
            2,
            "COLONNADE_CLIENT_KEY cannot be read",
        ),
    ] {
        let (code, _, err) = run_with(&gateway, variables, &["status"]);
        assert_eq!(code, expected, "{err}");
        assert!(err.contains(message), "{err}");
    }
}
