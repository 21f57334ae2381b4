//! Libraries that are preloaded into the gateway to replace system functions.

use std::path::Path;
use std::process::Command;

/// Compiles a C file of this folder to a shared library.
pub(crate) fn compile(source: &str, library: &Path) {
    let source = format!("{}/tests/support/{source}", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("cc")
        .args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"])
        .args([library, Path::new(&source)])
        .output()
        .unwrap_or_else(|error| {
            panic!("the C compiler `cc`, which the build also needs, does not run: {error}")
        });
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source} does not compile: {errors}");
}
