//! The command line, and what is said of a bad configuration.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use serde_json::json;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::support::{Gateway, Request, configuration, run};

/// Writes a configuration into a folder of its own.
fn written(text: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("site.toml");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

/// Exit code, standard output and standard error of a command on a configuration.
fn outcome(command: &str, path: &Path) -> (i32, String, String) {
    let output = run(&[command, "--config", path.to_str().unwrap()]);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn check_says_ok_to_a_sound_configuration() {
    let (_folder, path) = written(&configuration(""));
    assert_eq!(outcome("check", &path), (0, "ok\n".to_owned(), String::new()));
}

#[test]
fn check_and_serve_tell_every_problem_and_start_nothing() {
    let text = configuration("")
        .replace("brand =", "brnad =")
        .replace("https://site.example", "site.example");
    let (folder, path) = written(&text);
    for command in ["check", "serve"] {
        let (code, stdout, stderr) = outcome(command, &path);
        assert_eq!((code, stdout.as_str()), (2, ""));
        let lines: Vec<&str> = stderr.lines().collect();
        assert_eq!(lines.len(), 3, "{stderr}");
        assert_eq!(
            lines[0],
            "site.toml:1: site.brand: missing; expected the site's name"
        );
        assert!(lines[1].starts_with("site.toml:2: site.brnad: unknown key; expected one of brand, origin"));
        assert!(lines[2].starts_with("site.toml:3: site.origin: `site.example` is no address"));
        assert!(!folder.path().join("store").exists());
    }
}

#[test]
fn a_missing_secret_is_named_with_its_line() {
    let signup = "[signup]\nbackend = \"http://127.0.0.1:1\"\nkey = { env = \"UNSET_KEY\" }\naffiliate_subid = \"a\"\n";
    let text = configuration(signup);
    let line = text.lines().position(|line| line.starts_with("key =")).unwrap() + 1;
    let (_folder, path) = written(&text);
    let (code, _, stderr) = outcome("serve", &path);
    assert_eq!(code, 2);
    let expected = format!("site.toml:{line}: signup.key: the environment variable UNSET_KEY is not set");
    assert!(stderr.starts_with(&expected), "{stderr}");
}

#[test]
fn a_missing_file_is_named() {
    let (code, _, stderr) = outcome("serve", Path::new("/no/such/site.toml"));
    assert_eq!(code, 2);
    assert!(
        stderr.starts_with("/no/such/site.toml: cannot be read"),
        "{stderr}"
    );
}

#[test]
fn an_address_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let text = configuration("").replacen("127.0.0.1:0", &address, 1);
    let (_folder, path) = written(&text);
    let (code, _, stderr) = outcome("serve", &path);
    assert_eq!(code, 1);
    assert!(
        stderr.starts_with(&format!("{address} cannot be listened on")),
        "{stderr}"
    );
}

#[test]
fn a_store_that_cannot_be_used_is_named() {
    let (folder, path) = written(&configuration(""));
    std::fs::write(folder.path().join("store"), "not a folder").unwrap();
    let (code, _, stderr) = outcome("serve", &path);
    assert_eq!(code, 1);
    assert!(stderr.starts_with("the store cannot be used: "), "{stderr}");
}

#[test]
fn a_printed_token_is_good_for_the_printed_hash() {
    let print = || String::from_utf8(run(&["token"]).stdout).unwrap();
    let printed = print();
    assert_ne!(printed, print(), "each token is new");
    let (token, hash) = printed.trim_end().split_once('\n').unwrap();
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
    let answer = gateway.admin.send(request);
    assert_eq!((answer.status, answer.json()), (200, json!([])));
}
