//! What the Debian package contains besides the binary: manual pages, shell completions, systemd units, rules and releases.

use std::path::{Path, PathBuf};
use std::process::Command;

use colonnade_config::Config;
use tempfile::TempDir;

use crate::support::{Gateway, entries, run_gateway};

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
fn completion_names_each_command() {
    for shell in ["bash", "fish", "zsh"] {
        let script = stdout(&["completion", shell]);
        assert!(script.contains("serve") && script.contains("check"), "{shell}");
    }
}

#[test]
fn packaged_configuration_is_the_one_of_the_service() {
    let root = root();
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

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The names of the files with units.
fn unit_files() -> Vec<String> {
    let files = std::fs::read_dir(root().join("deploy/systemd")).unwrap();
    files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn package_has_every_unit_and_each_file_that_it_names() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let package = &manifest["package"]["metadata"]["deb"];
    let units = package["systemd-units"].as_array().unwrap().iter();
    let units: Vec<&str> = units.map(|unit| unit["unit-name"].as_str().unwrap()).collect();
    for file in unit_files() {
        let (unit, _) = file.split_once('.').unwrap();
        assert!(units.contains(&unit), "{file}");
    }
    for unit in units {
        assert!(unit_files().contains(&format!("{unit}.service")), "{unit}");
    }
    let assets = package["assets"].as_array().unwrap();
    let sources = assets.iter().map(|asset| asset[0].as_str().unwrap());
    // `make deb` writes those in `target`.
    for source in sources.filter(|source| source.starts_with("../")) {
        let path = folder.join(source);
        let exists = match path.file_name().unwrap().to_str().unwrap().strip_prefix('*') {
            Some(end) => {
                let mut files = std::fs::read_dir(path.parent().unwrap()).unwrap();
                files.any(|file| file.unwrap().file_name().to_string_lossy().ends_with(end))
            }
            None => path.is_file(),
        };
        assert!(exists, "{source}");
    }
    for unit in unit_files() {
        let unit = std::fs::read_to_string(root().join("deploy/systemd").join(unit)).unwrap();
        let pages = unit
            .lines()
            .filter_map(|line| line.strip_prefix("Documentation=file:///"));
        for page in pages {
            let (target, file) = page.rsplit_once('/').unwrap();
            let mut sources = assets
                .iter()
                .filter(|asset| asset[1].as_str() == Some(&format!("{target}/")));
            let is_page = |asset: &toml::Value| {
                folder
                    .join(asset[0].as_str().unwrap())
                    .with_file_name(file)
                    .is_file()
            };
            assert!(sources.any(is_page), "{page}");
        }
    }
}

#[allow(clippy::print_stderr)]
#[test]
fn systemd_units_are_valid() {
    let folder = TempDir::new().unwrap();
    let mut command = Command::new("systemd-analyze");
    command.arg("verify");
    for file in unit_files() {
        let text = std::fs::read_to_string(root().join("deploy/systemd").join(&file)).unwrap();
        // The package is not installed, nor is `man` everywhere.
        let text = text.replace("/usr/bin/gateway", env!("CARGO_BIN_EXE_gateway"));
        let lines = text
            .lines()
            .filter(|line| !line.starts_with("Documentation=man:"));
        let path = folder.path().join(file);
        std::fs::write(&path, lines.collect::<Vec<_>>().join("\n") + "\n").unwrap();
        command.arg(path);
    }
    let Ok(output) = command.output() else {
        eprintln!("systemd-analyze is not installed: the units are not verified");
        return;
    };
    let problems = String::from_utf8(output.stderr).unwrap();
    assert!(!problems.contains("colonnade"), "{problems}");
}

/// What a unit runs, without the shell of a backup, as systemd reads it.
fn command_of(unit: &str) -> String {
    let unit = std::fs::read_to_string(root().join("deploy/systemd").join(unit)).unwrap();
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart="));
    start.unwrap().replace("%%", "%")
}

#[test]
fn timers_back_up_and_verify_the_store() {
    let gateway = Gateway::start_live("", &[]);
    let backups = TempDir::new().unwrap();
    for unit in ["colonnade-backup.service", "colonnade-verify.service"] {
        let command = command_of(unit)
            .replace("/usr/bin/gateway", env!("CARGO_BIN_EXE_gateway"))
            .replace("/var/backups/colonnade", backups.path().to_str().unwrap())
            .replace("/etc/colonnade/site.toml", gateway.config().to_str().unwrap());
        let output = Command::new("sh").args(["-c", &command]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let backup = entries(backups.path()).next().unwrap();
    assert!(backup.join("store.json").is_file());
}
