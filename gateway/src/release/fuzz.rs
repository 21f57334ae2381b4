//! What must hold of a `release.json`, whatever is published.

use super::{Release, check, is_file_path, is_name, is_version};
use crate::pattern::Pattern;

/// What is read is written as it was read, the checks say something about anything, and what they let pass is sound.
pub(crate) fn text(text: &[u8]) {
    let Ok(release) = serde_json::from_slice::<Release>(text) else {
        return;
    };
    let written = serde_json::to_vec(&release).expect("what was read is written");
    let again: Release = serde_json::from_slice(&written).expect("what was written is read");
    assert_eq!(again, release);
    assert_eq!(serde_json::to_vec(&again).expect("and written"), written);
    let problems = check(&release);
    assert!(problems.iter().all(|problem| !problem.is_empty()));
    if problems.is_empty() {
        sound(&release);
    }
}

/// Names that become folders and paths say nothing but that, and what a release names it has.
fn sound(release: &Release) {
    assert!(is_name(&release.name) && is_version(&release.version));
    assert!(!release.version.contains(['/', '\\']), "{:?}", release.version);
    let paths: Vec<_> = release.files.iter().map(|file| file.path.as_str()).collect();
    assert!(paths.is_sorted_by(|one, two| one < two), "{paths:?}");
    for path in &paths {
        assert!(is_file_path(path) && !path.contains("//"), "{path:?}");
        assert!(
            path.split('/').all(|segment| segment != ".." && segment != "."),
            "{path:?}"
        );
    }
    let of_pages = release.pages.iter().flat_map(|page| &page.assets);
    let of_slots = release.slots.iter().flat_map(|slot| &slot.assets);
    let named = [&release.styles, &release.assets].into_iter().flatten();
    let named = named.chain(of_pages).chain(of_slots).chain(&release.icon);
    for path in named.chain([&release.entry]) {
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
}
