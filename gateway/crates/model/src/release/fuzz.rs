//! The invariants of `release.json`.

use crate::pattern::Pattern;
use crate::release::{ExtensionPoint, PointReference, Release, is_file_path, is_name, is_version, validate};

/// A parsed release survives a round trip, problems have a text, and a release without problems is
/// safe to store.
pub(crate) fn release_json(text: &[u8]) {
    let Ok(release) = serde_json::from_slice::<Release>(text) else {
        return;
    };
    let written = serde_json::to_vec(&release).expect("a parsed release serializes");
    let again: Release = serde_json::from_slice(&written).expect("a serialized release parses");
    assert_eq!(again, release);
    assert_eq!(
        serde_json::to_vec(&again).expect("a parsed release serializes"),
        written
    );
    let problems = validate(&release);
    assert!(problems.iter().all(|problem| !problem.is_empty()));
    if problems.is_empty() {
        assert_safe(&release);
    }
}

/// Names, versions and paths have no path traversal, and references are to listed files.
fn assert_safe(release: &Release) {
    assert!(is_name(&release.name) && is_version(&release.version));
    assert!(!release.version.contains(['/', '\\']), "{:?}", release.version);
    let paths: Vec<_> = release.files.iter().map(|file| file.path.as_str()).collect();
    assert!(paths.is_sorted_by(|a, b| a < b), "{paths:?}");
    for path in &paths {
        assert!(is_file_path(path) && !path.contains("//"), "{path:?}");
        assert!(
            path.split('/').all(|segment| segment != ".." && segment != "."),
            "{path:?}"
        );
    }
    let page_assets = release.pages.iter().flat_map(|page| &page.assets);
    let extension_assets = release.extensions.iter().flat_map(|extension| &extension.assets);
    let exposed_assets = release.exposes.iter().flat_map(|module| &module.assets);
    let references = [&release.styles, &release.assets].into_iter().flatten();
    let references = references
        .chain(page_assets)
        .chain(extension_assets)
        .chain(exposed_assets)
        .chain(release.shared_assets.values().flatten())
        .chain(&release.icon);
    for path in references.chain([&release.entry]) {
        assert!(
            paths.contains(&path.as_str()) && path.starts_with("client/"),
            "{path:?}"
        );
    }
    for path in release.modules.values() {
        assert!(
            paths.contains(&path.as_str()) && path.starts_with("server/"),
            "{path:?}"
        );
    }
    assert!(
        release
            .pages
            .iter()
            .all(|page| Pattern::parse(&page.pattern).is_ok())
    );
    let opened: Vec<_> = release
        .extension_points
        .iter()
        .map(ExtensionPoint::reference)
        .collect();
    for reference in &opened {
        assert!(
            reference
                .as_str()
                .parse::<PointReference>()
                .is_ok_and(|parsed| parsed == *reference)
        );
        assert_eq!(reference.owner(), release.name);
    }
    let shown = release.pages.iter().flat_map(|page| &page.extension_points);
    for reference in shown {
        assert!(opened.contains(reference), "{reference}");
    }
}
