//! Sets `COLONNADE_COMMIT` for the build, the commit that the gateway is built from, and `COLONNADE_VERSION`, the version with
//! the commit. A build without Git history, such as from an archive, takes the commit from the environment variable of the same
//! name, or leaves it out.

use std::env;
use std::path::Path;
use std::process::Command;

/// The history of the checked out commit. Cargo would run a build script whose file is missing at every build.
const HISTORY: &str = "../.git/logs/HEAD";

fn main() {
    println!("cargo::rerun-if-env-changed=COLONNADE_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    if Path::new(HISTORY).exists() {
        println!("cargo::rerun-if-changed={HISTORY}");
    }
    let version = env!("CARGO_PKG_VERSION");
    match env::var("COLONNADE_COMMIT").ok().or_else(commit) {
        Some(commit) => {
            println!("cargo::rustc-env=COLONNADE_COMMIT={commit}");
            println!("cargo::rustc-env=COLONNADE_VERSION={version} ({commit})");
        }
        None => println!("cargo::rustc-env=COLONNADE_VERSION={version}"),
    }
}

fn commit() -> Option<String> {
    let output = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()?;
    let commit = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| commit.trim().to_owned())
}
