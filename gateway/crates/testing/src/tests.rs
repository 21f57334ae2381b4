use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{file_names, fuzz_folder};

/// The text of all source files below a folder.
fn sources(folder: &Path) -> String {
    let mut text = String::new();
    for name in file_names(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            text += &sources(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text += &fs::read_to_string(path).unwrap();
        }
    }
    text
}

#[test]
fn fuzz_corpora_match_targets_and_replays() {
    let corpora = file_names(&fuzz_folder().join("corpus"));
    let targets = file_names(&fuzz_folder().join("fuzz_targets"));
    let targets: BTreeSet<String> = targets
        .iter()
        .filter_map(|file| file.strip_suffix(".rs"))
        .map(str::to_owned)
        .collect();
    assert_eq!(corpora, targets);
    let manifest = fs::read_to_string(fuzz_folder().join("Cargo.toml")).unwrap();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources = sources(&crates);
    for target in &targets {
        assert!(
            manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")),
            "fuzz/Cargo.toml has no binary for {target}"
        );
        let file = fuzz_folder().join(format!("fuzz_targets/{target}.rs"));
        let text = fs::read_to_string(file).unwrap();
        assert!(text.contains(&format!("::fuzzing::{target}(bytes)")), "{text}");
        assert!(
            sources.contains(&format!("replay_corpus(\"{target}\", super::{target})")),
            "no unit test replays fuzz/corpus/{target}"
        );
    }
}
