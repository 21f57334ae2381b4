//! Libraries that are preloaded into the gateway, and answer in the system's place.

use std::path::Path;
use std::process::Command;

/// Makes a library of a file beside this one.
pub(crate) fn compile(source: &str, library: &Path) {
    let source = format!("{}/tests/support/{source}", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("cc")
        .args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"])
        .args([library, Path::new(&source)])
        .output()
        .unwrap_or_else(|error| panic!("a C compiler is missing, which the build needs, too: `cc`: {error}"));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source} cannot be compiled: {words}");
}
