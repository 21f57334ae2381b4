//! What the Debian package contains besides the binary: manual pages, shell completions and the systemd unit.

use std::path::Path;
use std::process::Command;

use colonnade_config::Config;
use tempfile::TempDir;

use crate::support::run_gateway;

fn stdout(arguments: &[&str]) -> String {
    let output = run_gateway(arguments);
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn version_names_the_commit() {
    let version = stdout(&["--version"]);
    let version = version.trim_end().strip_prefix("gateway ").unwrap();
    // A build from an archive has no commit.
    let (number, commit) = version.split_once(' ').unwrap_or((version, "(0123456789ab)"));
    assert_eq!(number, env!("CARGO_PKG_VERSION"));
    let commit = commit
        .strip_prefix('(')
        .and_then(|commit| commit.strip_suffix(')'));
    assert!(
        commit.unwrap().bytes().all(|b| b.is_ascii_hexdigit()),
        "{version}"
    );
}

#[test]
fn manual_pages_describe_each_command() {
    let folder = TempDir::new().unwrap();
    stdout(&["manual", folder.path().to_str().unwrap()]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("gateway.1").contains("gateway\\-serve(1)"));
    assert!(read("gateway-serve.1").contains("\\-\\-config"));
    assert!(!folder.path().join("gateway-render-worker.1").exists());
}

#[test]
fn completions_name_each_command() {
    for shell in ["bash", "fish", "zsh"] {
        let script = stdout(&["completions", shell]);
        assert!(script.contains("serve") && script.contains("check"), "{shell}");
    }
}

#[test]
fn packaged_configuration_is_the_one_of_the_service() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = ["deploy/debian/site.sed", "site.toml"].map(|name| root.join(name));
    let output = Command::new("sed").arg("-f").args(files).output().unwrap();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("site.toml");
    std::fs::write(&path, output.stdout).unwrap();
    let config = Config::load(&path).unwrap();
    assert_eq!(config.store.folder, Path::new("/var/lib/colonnade"));
    assert_eq!(
        config.listen.control_socket,
        Path::new("/run/colonnade/control.sock")
    );
    // A setting of the unit would apply to the service, but not to `gateway upgrade` or `gateway store`.
    let unit = std::fs::read_to_string(root.join("deploy/systemd/colonnade.service")).unwrap();
    assert!(!unit.contains("Environment="), "{unit}");
}

#[allow(clippy::print_stderr)]
#[test]
fn systemd_unit_is_valid() {
    let unit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/systemd/colonnade.service");
    let folder = TempDir::new().unwrap();
    let text = std::fs::read_to_string(unit).unwrap();
    // The package is not installed, nor is `man` everywhere.
    let text = text.replace("/usr/bin/gateway", env!("CARGO_BIN_EXE_gateway"));
    let path = folder.path().join("colonnade.service");
    std::fs::write(&path, text.replace("Documentation=man:gateway(1)\n", "")).unwrap();
    let Ok(output) = Command::new("systemd-analyze").arg("verify").arg(path).output() else {
        eprintln!("systemd-analyze is not installed: the unit is not verified");
        return;
    };
    let problems = String::from_utf8(output.stderr).unwrap();
    assert!(!problems.contains("colonnade"), "{problems}");
}
