//! Helpers for the unit tests of the other crates.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use proptest::test_runner::Config;

/// A proptest configuration with `count` cases. The environment variable `PROPTEST_CASES` overrides
/// the count.
pub fn cases(count: u32) -> Config {
    let mut config = Config {
        // A failure prints its input. Add it as a unit test instead of a regression file.
        failure_persistence: None,
        ..Config::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = count;
    }
    config
}

/// The `fuzz` folder at the root of the repository.
pub fn fuzz_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz")
}

/// The names of the entries of a folder.
///
/// # Panics
/// If the folder cannot be read, or if a name is not UTF-8.
pub fn file_names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let name = |entry: std::io::Result<fs::DirEntry>| {
        let name = entry.expect("the folder is readable").file_name();
        name.into_string().expect("names are UTF-8")
    };
    entries.map(name).collect()
}

/// Runs a fuzz target on every file of its corpus, `fuzz/corpus/<target>`.
///
/// # Panics
/// If the corpus has fewer than five files, or if the target panics on one of them.
pub fn replay_corpus(target: &str, run: fn(&[u8])) {
    let corpus = fuzz_folder().join("corpus").join(target);
    let seeds = file_names(&corpus);
    assert!(
        seeds.len() >= 5,
        "fuzz/corpus/{target} has {} files; expected at least 5",
        seeds.len()
    );
    let fails = |seed: &&String| {
        let bytes = fs::read(corpus.join(seed)).expect("the corpus is readable");
        catch_unwind(|| run(&bytes)).is_err()
    };
    let failed: Vec<_> = seeds.iter().filter(fails).collect();
    assert!(
        failed.is_empty(),
        "fuzz/corpus/{target}: the target panics on {failed:?}"
    );
}
