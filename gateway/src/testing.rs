//! Releases for unit tests, and how often properties are tried.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use proptest::test_runner::Config as Properties;
use tempfile::TempDir;

use crate::clock;
use crate::release::{Digest, File, Kind, NamedPath, Page, RELEASE_FILE, Release, SHELL, Slot};
use crate::store::{FolderStore, Kept, Prepared, Record, ReleaseId, Store};

/// So many cases of a property, unless `PROPTEST_CASES` wants others.
pub(crate) fn cases(count: u32) -> Properties {
    let mut properties = Properties {
        // A failure prints its input; what it teaches becomes a test of its own.
        failure_persistence: None,
        ..Properties::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        properties.cases = count;
    }
    properties
}

/// A release and the bytes of its files.
pub(crate) struct Sample {
    /// What its `release.json` says.
    pub(crate) release: Release,
    /// The bytes of its files, by their paths.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// A shell that provides React 19.
pub(crate) fn shell(version: &str) -> Sample {
    let files = [
        ("client/frame.css", "text/css; charset=utf-8"),
        ("client/icon.png", "image/png"),
        ("client/icon.svg", "image/svg+xml"),
        ("client/main.js", "text/javascript; charset=utf-8"),
    ];
    let mut sample = sample(SHELL, version, Kind::Shell, &files);
    sample.release.entry = "client/main.js".to_owned();
    sample.release.styles = vec!["client/frame.css".to_owned()];
    sample.release.icon = Some("client/icon.svg".to_owned());
    sample
        .release
        .shared
        .insert("react".to_owned(), "19.1.0".to_owned());
    sample
}

/// A section with a page for `/`, one for `/state/:state`, and the slot `join`.
pub(crate) fn section(name: &str, version: &str) -> Sample {
    let files = [
        ("client/common.js", "text/javascript; charset=utf-8"),
        ("client/entry.js", "text/javascript; charset=utf-8"),
        ("client/icon.svg", "image/svg+xml"),
        ("client/join.js", "text/javascript; charset=utf-8"),
        ("client/state.css", "text/css; charset=utf-8"),
        ("client/state.js", "text/javascript; charset=utf-8"),
        ("server/index.js", "text/javascript; charset=utf-8"),
    ];
    let mut sample = sample(name, version, Kind::Section, &files);
    let release = &mut sample.release;
    release.entry = "client/entry.js".to_owned();
    release.container = Some(format!("{name}_container"));
    release.assets = vec!["client/common.js".to_owned()];
    release.pages = vec![
        page("/", &[], &[("/", true)]),
        page(
            "/state/:state",
            &["client/state.css", "client/state.js"],
            &[("/state/Texas", true), ("/state/New%20York", false)],
        ),
    ];
    release.slots = vec![Slot {
        name: "join".to_owned(),
        assets: vec!["client/join.js".to_owned()],
    }];
    release.shared.insert("react".to_owned(), "^19.0.0".to_owned());
    sample
}

/// A section with one page and nothing else.
pub(crate) fn small_section(name: &str, version: &str, pattern: &str) -> Sample {
    let mut sample = section(name, version);
    sample.release.pages = vec![page(pattern, &[], &[])];
    sample.release.slots = Vec::new();
    sample
}

/// Keeps a sample in a store, as publishing it would, where there is none yet.
pub(crate) async fn keep(store: &dyn Store, sample: Sample) {
    assert!(matches!(try_keep(store, sample).await, Kept::New));
}

/// Keeps a sample in a store if the store does.
pub(crate) async fn try_keep(store: &dyn Store, sample: Sample) -> Kept {
    let id = ReleaseId {
        name: sample.release.name.clone(),
        version: sample.release.version.clone(),
    };
    let folder = store.scratch().await.unwrap();
    let text = serde_json::to_vec(&sample.release).unwrap();
    let record = Record {
        published_at: clock::now(),
        by: "test".to_owned(),
        digest: Digest::of(&text),
        variants: BTreeMap::new(),
    };
    write(folder.path(), RELEASE_FILE, &text);
    for (path, bytes) in &sample.files {
        write(folder.path(), path, bytes);
    }
    store.keep(Prepared { id, folder, record }).await.unwrap()
}

/// An empty store, and the folder it goes with.
pub(crate) fn store() -> (TempDir, Arc<FolderStore>) {
    let folder = TempDir::new().unwrap();
    let store = FolderStore::open(folder.path()).unwrap();
    (folder, Arc::new(store))
}

fn write(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn page(pattern: &str, assets: &[&str], paths: &[(&str, bool)]) -> Page {
    let named = paths.iter().map(|(path, indexable)| NamedPath {
        path: (*path).to_owned(),
        indexable: *indexable,
    });
    Page {
        pattern: pattern.to_owned(),
        assets: assets.iter().map(|&asset| asset.to_owned()).collect(),
        paths: named.collect(),
    }
}

fn sample(name: &str, version: &str, kind: Kind, files: &[(&str, &str)]) -> Sample {
    let bytes = |path: &str| format!("/* {name} {version} {path} */\n").repeat(20).into_bytes();
    let file = |(path, media_type): &(&str, &str)| File {
        path: (*path).to_owned(),
        size: bytes(path).len() as u64,
        media_type: (*media_type).to_owned(),
        digest: Digest::of(&bytes(path)),
    };
    let release = Release {
        name: name.to_owned(),
        version: version.to_owned(),
        kind,
        contract: 1,
        entry: String::new(),
        container: None,
        styles: Vec::new(),
        assets: Vec::new(),
        pages: Vec::new(),
        slots: Vec::new(),
        shared: BTreeMap::new(),
        icon: None,
        icons: Vec::new(),
        social_image: None,
        theme_color: None,
        modules: BTreeMap::new(),
        files: files.iter().map(file).collect(),
    };
    let files = files.iter().map(|(path, _)| ((*path).to_owned(), bytes(path)));
    Sample {
        release,
        files: files.collect(),
    }
}
