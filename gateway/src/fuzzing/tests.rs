//! Replays the corpus: what fuzzing has come upon, and what is worth beginning with, is tried by every run of the tests.

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

/// One test for each target, and the list of them.
macro_rules! replay {
    ($($target:ident)*) => {
        const TARGETS: &[&str] = &[$(stringify!($target)),*];

        mod the_corpus_holds {
            $(#[test]
            fn $target() {
                super::replay(stringify!($target), crate::fuzzing::$target);
            })*
        }
    };
}

replay! { paths range accept_encoding host cookies release_json tar proxy_header http2_frames signup_body }

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    entries.map(name).collect()
}

fn replay(target: &str, run: fn(&[u8])) {
    let corpus = folder().join("corpus").join(target);
    let seeds = names(&corpus);
    assert!(
        seeds.len() >= 5,
        "{target} has {} seeds, and should have 5 at least",
        seeds.len()
    );
    let fails = |seed: &&String| {
        let bytes = fs::read(corpus.join(seed)).unwrap();
        catch_unwind(|| run(&bytes)).is_err()
    };
    let failed: Vec<_> = seeds.iter().filter(fails).collect();
    assert!(
        failed.is_empty(),
        "of fuzz/corpus/{target} these break what must hold: {failed:?}"
    );
}

#[test]
fn every_target_is_replayed_and_every_corpus_has_a_target() {
    let targets: BTreeSet<_> = TARGETS.iter().map(|&target| target.to_owned()).collect();
    assert_eq!(names(&folder().join("corpus")), targets);
    let files = names(&folder().join("fuzz_targets"));
    let files: BTreeSet<_> = files
        .iter()
        .filter_map(|file| file.strip_suffix(".rs"))
        .map(str::to_owned)
        .collect();
    assert_eq!(files, targets);
    let manifest = fs::read_to_string(folder().join("Cargo.toml")).unwrap();
    let named = manifest.lines().filter_map(|line| {
        let path = line.strip_prefix("path = \"fuzz_targets/")?;
        path.strip_suffix(".rs\"")
    });
    assert_eq!(named.map(str::to_owned).collect::<BTreeSet<_>>(), targets);
    for target in TARGETS {
        let text = fs::read_to_string(folder().join(format!("fuzz_targets/{target}.rs"))).unwrap();
        assert!(
            text.contains(&format!("gateway::fuzzing::{target}(bytes)")),
            "{text}"
        );
    }
}
