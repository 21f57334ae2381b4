//! Composed sets are the sets that their releases make from scratch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use colonnade_model::deployment::{Deployment, ReleaseSummary};
use colonnade_model::pattern::RequestPath;
use colonnade_model::release::{Digest, ReleaseId, SHELL};
use colonnade_store::loaded::{LoadedCandidate, LoadedDeployment, LoadedRelease};
use colonnade_store::testing::shell;
use colonnade_store::{ReleaseRecord, StoredRelease};
use colonnade_testing::cases;
use jiff::Timestamp;
use proptest::collection::vec;
use proptest::prelude::{any, proptest};

/// The patterns of each section. No two sections have the same one, so all their releases fit.
const PATTERNS: [&[&str]; 4] = [
    &["/:page", "/shop/:item"],
    &["/shop", "/:page/new"],
    &["/news", "/:page/:item"],
    &["/news/new", "/shop/new"],
];

const PATHS: [&str; 8] = [
    "/shop",
    "/news",
    "/other",
    "/shop/new",
    "/shop/other",
    "/news/new",
    "/news/other",
    "/other/other",
];

/// Which patterns a section has live and in its candidate. Without any, it is not in the
/// deployment.
type Choice = (bool, bool);

fn id(name: &str, version: &str) -> ReleaseId {
    ReleaseId {
        name: name.to_owned(),
        version: version.to_owned(),
    }
}

fn shell_release() -> Arc<LoadedRelease> {
    let stored = StoredRelease {
        release: shell("1.0.0").release,
        record: ReleaseRecord {
            published_at: Timestamp::UNIX_EPOCH,
            by: "test".to_owned(),
            digest: Digest::of(b""),
            variants: BTreeMap::new(),
        },
    };
    Arc::new(LoadedRelease::new(&id(SHELL, "1.0.0"), stored).expect("it loads"))
}

/// A release of section `number`, which fills a slot if it is the last one; `None` without
/// patterns.
fn release(number: usize, version: &str, (first, second): Choice) -> Option<Arc<LoadedRelease>> {
    let patterns = PATTERNS[number].iter().zip([first, second]);
    let patterns: Vec<String> = patterns
        .filter(|(_, is_chosen)| *is_chosen)
        .map(|(pattern, _)| (*pattern).to_owned())
        .collect();
    if patterns.is_empty() {
        return None;
    }
    let summary = ReleaseSummary {
        contract: 1,
        container: format!("section_{number}"),
        patterns,
        slots: [number == 3]
            .into_iter()
            .filter(|fills| *fills)
            .map(|_| "join".to_owned())
            .collect(),
        shared: BTreeMap::new(),
    };
    let id = id(&format!("section-{number}"), version);
    Some(Arc::new(
        LoadedRelease::from_summary(&id, &summary).expect("valid patterns"),
    ))
}

fn deployment(number: u64, releases: &[Arc<LoadedRelease>], changes: BTreeSet<String>) -> Arc<Deployment> {
    let named = releases.iter().map(|release| &release.id);
    Arc::new(Deployment {
        number,
        releases: named.map(|id| (id.name.clone(), id.version.clone())).collect(),
        created_at: Timestamp::UNIX_EPOCH,
        by: "test".to_owned(),
        reason: None,
        preview: false,
        changes,
    })
}

fn assembled(releases: Vec<Arc<LoadedRelease>>) -> LoadedDeployment {
    let record = deployment(1, &releases, BTreeSet::new());
    LoadedDeployment::assemble(record, releases, Vec::new()).expect("they fit")
}

/// The release and the pattern that a set serves at a path.
fn served(set: &LoadedDeployment, path: &RequestPath) -> Option<(String, String)> {
    let page = set.page(path)?;
    Some((
        format!("{}@{}", page.section.name, page.section.version),
        page.pattern.clone(),
    ))
}

/// The releases of all slots.
fn slots(set: &LoadedDeployment) -> Vec<String> {
    let slots = set.slots.values();
    slots
        .map(|slot| format!("{}@{}", slot.section.name, slot.section.version))
        .collect()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn composed_set_serves_what_its_releases_make(
        live in vec(any::<Choice>(), 4),
        changed in vec(any::<Option<Choice>>(), 4),
        chosen in vec(any::<bool>(), 4),
    ) {
        let shell = shell_release();
        let live: Vec<_> = live.into_iter().enumerate().map(|(number, choice)| release(number, "1.0.0", choice)).collect();
        let base = assembled([shell.clone()].into_iter().chain(live.iter().flatten().cloned()).collect());
        let (mut candidates, mut merged) = (Vec::new(), vec![shell]);
        for (number, choice) in changed.into_iter().enumerate() {
            match choice.filter(|_| chosen[number]) {
                Some(choice) => {
                    let new: Vec<_> = release(number, "2.0.0", choice).into_iter().collect();
                    merged.extend(new.iter().cloned());
                    let changes = BTreeSet::from([format!("section-{number}")]);
                    let record = deployment(number as u64 + 2, &new, changes);
                    candidates.push(Arc::new(LoadedCandidate::new(record, new, Vec::new())));
                }
                None => merged.extend(live[number].clone()),
            }
        }
        let expected = assembled(merged);
        let composed = base.with(candidates.clone());
        assert_eq!(slots(&composed), slots(&expected));
        let names = |set: &LoadedDeployment| set.releases.iter().map(|release| release.id.to_string()).collect::<BTreeSet<_>>();
        assert_eq!(names(&composed), names(&expected));
        for path in PATHS.map(|path| RequestPath::parse(path).unwrap()) {
            let page = served(&expected, &path);
            assert_eq!(served(&composed, &path), page, "{path:?}");
            // The candidates that are left out change nothing at the path.
            let deciding = base.with(base.deciding(&candidates, Some(&path)));
            assert_eq!((served(&deciding, &path), slots(&deciding)), (page, slots(&expected)), "{path:?}");
        }
        let nowhere = base.with(base.deciding(&candidates, None));
        assert_eq!(slots(&nowhere), slots(&expected));
    }
}
