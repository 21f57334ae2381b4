//! Sets `COLONNADE_COMMIT` for the build, the commit that the gateway is built from, and
//! `COLONNADE_VERSION`, the version with the commit. The environment variable `COLONNADE_COMMIT`
//! takes precedence over the Git history, for builds from an archive. Without both, and in a build
//! for development, the version has no commit: each commit would compile the gateway again.
//!
//! It also lists the files of the console for `src/console.rs`. They are missing unless `make
//! console` has built them, so that the gateway builds without Node.js.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The history of the checked out commit. Cargo would run a build script whose file is missing at
/// every build.
const HISTORY: &str = "../.git/logs/HEAD";

/// The files of the console.
const CONSOLE: &str = "../console/dist";

fn main() {
    list_console();
    if is_development() && env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        // Relocating 175,000 addresses takes 5 ms at each start, also of a render worker.
        println!("cargo::rustc-link-arg=-no-pie");
    }
    println!("cargo::rerun-if-env-changed=COLONNADE_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    let version = env!("CARGO_PKG_VERSION");
    match env::var("COLONNADE_COMMIT").ok().or_else(commit) {
        Some(commit) => {
            println!("cargo::rustc-env=COLONNADE_COMMIT={commit}");
            println!("cargo::rustc-env=COLONNADE_VERSION={version} ({commit})");
        }
        None => println!("cargo::rustc-env=COLONNADE_VERSION={version}"),
    }
}

fn is_development() -> bool {
    env::var("PROFILE").is_ok_and(|profile| profile == "debug")
}

fn commit() -> Option<String> {
    if is_development() {
        return None;
    }
    if Path::new(HISTORY).exists() {
        println!("cargo::rerun-if-changed={HISTORY}");
    }
    let output = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()?;
    let commit = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| commit.trim().to_owned())
}

/// Writes `console.rs`, which includes each file of the console.
fn list_console() {
    let mut paths: Vec<PathBuf> = Vec::new();
    // The folder is in the repository, and empty until the console is built.
    if let Ok(entries) = fs::read_dir(CONSOLE) {
        println!("cargo::rerun-if-changed={CONSOLE}");
        let paths_of_files = entries.flatten().map(|entry| entry.path());
        paths.extend(paths_of_files.filter(|path| path.is_file()));
    }
    paths.sort();
    let mut source = String::from("/// The files by name.\npub(crate) static FILES: &[ConsoleFile] = &[\n");
    for path in paths {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let Ok(path) = fs::canonicalize(&path) else {
            continue;
        };
        if !name.starts_with('.') {
            let _ = writeln!(
                source,
                "    ({name:?}, include_bytes!({:?})),",
                path.to_string_lossy()
            );
        }
    }
    source.push_str("];\n");
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&folder).join("console.rs"), source).expect("OUT_DIR is writable");
}
