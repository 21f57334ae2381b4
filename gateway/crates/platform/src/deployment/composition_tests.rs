//! Composed sets are the sets that their releases make from scratch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Offer, pushed_out};
use colonnade_model::deployment::Deployment;
use colonnade_model::extension_rules::{ExtensionId, ExtensionRules, PointRules, Refusal};
use colonnade_model::pattern::RequestPath;
use colonnade_model::release::{
    Digest, Extension, ExtensionPoint, NavigationEntry, NavigationList, Page, ReleaseId,
};
use colonnade_store::loaded::{
    ExtensionManifest, LeftOut, LeftOutReason, LoadedCandidate, LoadedDeployment, LoadedRelease,
    SectionEntry, UnavailableRelease,
};
use colonnade_store::testing::{Sample, shell, small_section};
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

/// Which patterns a section has, and which extension points it fills ([`extensions`]), live or in its
/// candidate. Without any pattern, it is not in the deployment.
type Choice = (bool, bool, u8);

fn id(name: &str, version: &str) -> ReleaseId {
    ReleaseId {
        name: name.to_owned(),
        version: version.to_owned(),
    }
}

fn loaded(sample: Sample) -> Arc<LoadedRelease> {
    let id = id(&sample.release.name, &sample.release.version);
    let stored = StoredRelease {
        release: sample.release,
        record: ReleaseRecord {
            published_at: Timestamp::UNIX_EPOCH,
            by: "test".to_owned(),
            source: None,
            digest: Digest::of(b""),
            variants: BTreeMap::new(),
        },
    };
    Arc::new(LoadedRelease::new(&id, stored).expect("it loads"))
}

fn point(id: String, max: u8) -> ExtensionPoint {
    let (version, examples) = (1, Vec::new());
    ExtensionPoint {
        id,
        version,
        max,
        examples,
    }
}

/// A shell with one extension point.
fn shell_release() -> Arc<LoadedRelease> {
    let mut sample = shell("1.0.0");
    sample.release.extension_points = vec![point("shell/banner".to_owned(), 2)];
    loaded(sample)
}

/// What a section fills by the last part of its choice: points of two sections, and one of the
/// shell.
fn extensions(choice: u8) -> Vec<Extension> {
    let section = |bits: u8| format!("section-{}/aside", bits % 4);
    let points = [
        (choice & 1 != 0).then(|| section(choice >> 1)),
        (choice & 8 != 0).then(|| section(choice >> 4)),
        (choice & 0xc0 == 0xc0).then(|| "shell/banner".to_owned()),
    ];
    let points: BTreeSet<String> = points.into_iter().flatten().collect();
    let extension = |id| Extension {
        point: point(id, 1).reference(),
        order: i64::from(choice >> 4),
        assets: Vec::new(),
        shared: Vec::new(),
    };
    points.into_iter().map(extension).collect()
}

/// The link of a section by the last part of its choice; none for most.
fn navigation(number: usize, choice: u8) -> Vec<NavigationEntry> {
    let entry = NavigationEntry {
        to: NavigationList::Menu,
        label: format!("{number}"),
        path: "/".to_owned(),
        order: i64::from(choice >> 5),
    };
    if choice & 6 == 6 { vec![entry] } else { Vec::new() }
}

/// A release of section `number`; `None` without patterns. All its pages have one extension point.
fn release(number: usize, version: &str, (first, second, filled): Choice) -> Option<Arc<LoadedRelease>> {
    let mut sample = small_section(&format!("section-{number}"), version, "/");
    let release = &mut sample.release;
    let own = point(format!("section-{number}/aside"), 1 + filled % 3);
    let page = Page {
        extension_points: vec![own.reference()],
        ..release.pages[0].clone()
    };
    let patterns = PATTERNS[number].iter().zip([first, second]);
    let pages = patterns
        .filter(|(_, is_chosen)| *is_chosen)
        .map(|(pattern, _)| Page {
            pattern: (*pattern).to_owned(),
            ..page.clone()
        });
    release.pages = pages.collect();
    release.extension_points = vec![own];
    release.extensions = extensions(filled);
    release.navigation = navigation(number, filled);
    (!release.pages.is_empty()).then(|| loaded(sample))
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
    LoadedDeployment::assemble(record, releases, Vec::new(), Arc::default()).expect("they fit")
}

/// The release and the pattern that a set serves at a path.
fn served(set: &LoadedDeployment, path: &RequestPath) -> Option<(String, String)> {
    let page = set.page(path)?;
    Some((
        format!("{}@{}", page.section.name, page.section.version),
        page.pattern.clone(),
    ))
}

/// Who fills the extension points of a page and of the shell.
fn filled(set: &LoadedDeployment, path: Option<&RequestPath>) -> Vec<String> {
    let page = path.and_then(|path| set.page(path));
    let points = page.iter().flat_map(|page| &page.points).chain(&set.frame.points);
    let filled = points.flat_map(|point| set.extensions(point));
    filled
        .map(|extension| {
            let SectionEntry { name, version, .. } = &*extension.section;
            format!("{} {} {name}@{version}", extension.point, extension.order)
        })
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
        let names = |set: &LoadedDeployment| set.releases.iter().map(|release| release.id.to_string()).collect::<BTreeSet<_>>();
        assert_eq!(names(&composed), names(&expected));
        let (links, digest) = (&expected.navigation.entries, expected.navigation.digest);
        assert_eq!((&composed.navigation.entries, composed.navigation.digest), (links, digest));
        for path in PATHS.map(|path| RequestPath::parse(path).unwrap()) {
            let page = served(&expected, &path);
            assert_eq!(served(&composed, &path), page, "{path:?}");
            let all = filled(&expected, Some(&path));
            assert_eq!(filled(&composed, Some(&path)), all, "{path:?}");
            // The candidates that are left out change nothing at the path.
            let deciding = base.with(base.deciding(&candidates, Some(&path)));
            assert_eq!(served(&deciding, &path), page, "{path:?}");
            assert_eq!(filled(&deciding, Some(&path)), all, "{path:?}");
            assert_eq!(&deciding.navigation.entries, links, "{path:?}");
            let is_unchanged = composed.page(&path).is_some_and(|page| !composed.changes_page(page));
            if is_unchanged && served(&base, &path) == page {
                assert_eq!(filled(&base, Some(&path)), all, "{path:?}");
                assert_eq!(&base.navigation.entries, links, "{path:?}");
            }
        }
        let nowhere = base.with(base.deciding(&candidates, None));
        assert_eq!(filled(&nowhere, None), filled(&expected, None));
    }
}

/// A section that fills a point.
fn fills((name, version): (&str, &str), order: i64, point: &str) -> Arc<LoadedRelease> {
    let mut sample = small_section(name, version, &format!("/{name}"));
    sample.release.extensions = vec![Extension {
        point: point.parse().unwrap(),
        order,
        assets: Vec::new(),
        shared: Vec::new(),
    }];
    loaded(sample)
}

/// A set in which `page` opens a point in this version, with a maximum, and these sections fill version
/// 1 of it, each with its order. One whose name ends in a plus sign has another release.
fn filled_set(version: u32, max: u8, sections: &str) -> LoadedDeployment {
    let mut page = small_section("page", "1.0.0", "/");
    page.release.extension_points = vec![ExtensionPoint {
        version,
        ..point("page/aside".to_owned(), max)
    }];
    let sections = sections.split(", ").map(|section| {
        let (name, order) = section.split_once(' ').unwrap();
        let release = name
            .strip_suffix('+')
            .map_or((name, "1.0.0"), |name| (name, "2.0.0"));
        fills(release, order.parse().unwrap(), "page/aside@1")
    });
    assembled(
        [shell_release(), loaded(page)]
            .into_iter()
            .chain(sections)
            .collect(),
    )
}

/// The rules with these orders and allow-lists of the point `page/aside`.
fn rules(order: &[&str], allow: Option<&[&str]>, off: Option<&str>) -> Arc<ExtensionRules> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let point = PointRules {
        order: names(order),
        allow: allow.map(names),
    };
    let off = off.map(|section| ExtensionId {
        section: section.to_owned(),
        point: "page/aside".to_owned(),
    });
    let points = BTreeMap::from([("page/aside".to_owned(), point)]);
    ExtensionRules::new(Arc::new(points), off.into_iter().collect())
}

#[test]
fn rules_order_allow_and_switch_off_extensions() {
    let set = filled_set(1, 2, "a 1, b 2, c 3, d 4");
    let point = "page/aside@1".parse().unwrap();
    let unopened = filled_set(2, 2, "a 1");
    for (rules, shown, left_out) in [
        (Arc::default(), "a b", "full c d"),
        (rules(&["d", "x", "b"], None, None), "d b", "full a c"),
        (
            rules(&[], Some(&["d", "c"]), None),
            "c d",
            "not-allowed a, not-allowed b",
        ),
        (
            rules(&["c"], Some(&[]), Some("c")),
            "",
            "off c, not-allowed a, not-allowed b, not-allowed d",
        ),
        (rules(&[], None, Some("a")), "b c", "full d, off a"),
    ] {
        let set = set.with_rules(Arc::clone(&rules));
        let names = |extensions: &[Arc<ExtensionManifest>]| {
            let names = extensions.iter().map(|extension| &*extension.section.name);
            names.collect::<Vec<_>>().join(" ")
        };
        let reason = |reason| match reason {
            LeftOutReason::Full(2) => "full",
            LeftOutReason::Refused(Refusal::NotAllowed) => "not-allowed",
            LeftOutReason::Refused(Refusal::Off) => "off",
            _ => "other",
        };
        let described: Vec<String> = set
            .left_out()
            .map(|each| format!("{} {}", reason(each.reason), names(each.extensions)))
            .collect();
        assert_eq!(
            (
                names(set.extensions(&point)).as_str(),
                described.join(", ").as_str()
            ),
            (shown, left_out),
            "{rules:?}"
        );
        assert!(unopened.with_rules(rules).extensions(&point).is_empty());
    }
}

/// What visitors get with these live releases and the releases of these candidates.
fn offer<'a>(live: &'a LoadedDeployment, candidates: &'a [Arc<LoadedCandidate>]) -> Offer<'a> {
    Offer {
        live,
        candidates: candidates
            .iter()
            .flat_map(|candidate| &candidate.releases)
            .collect(),
        rules: &live.rules,
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn rollouts_push_out_what_any_visitor_may_lack(
        (max, other_max) in (1_u8..4, proptest::option::of(1_u8..4)),
        sections in vec((proptest::option::of(0_i64..6), proptest::option::of(proptest::option::of(0_i64..6))), 5),
    ) {
        let aside = "page/aside@1".parse().unwrap();
        let opens = |version, max| {
            let mut page = small_section("page", version, "/");
            page.release.extension_points = vec![point("page/aside".to_owned(), max)];
            loaded(page)
        };
        let (mut live, mut candidates) = (vec![shell_release(), opens("1.0.0", max)], Vec::new());
        let mut start = |name: &str, release: Option<Arc<LoadedRelease>>| {
            let (number, releases) = (candidates.len() as u64 + 2, Vec::from_iter(release));
            let record = deployment(number, &releases, BTreeSet::from([name.to_owned()]));
            candidates.push(Arc::new(LoadedCandidate::new(record, releases, Vec::new())));
        };
        if let Some(max) = other_max {
            start("page", Some(opens("2.0.0", max)));
        }
        for (number, (order, changed)) in sections.into_iter().enumerate() {
            let name = format!("s{number}");
            live.extend(order.map(|order| fills((&name, "1.0.0"), order, "page/aside@1")));
            if let Some(order) = changed {
                start(&name, order.map(|order| fills((&name, "2.0.0"), order, "page/aside@1")));
            }
        }
        let live = assembled(live);
        let lacks = |chosen: usize, extension: &Arc<ExtensionManifest>| {
            let chosen = candidates.iter().enumerate().filter(|(index, _)| chosen & (1 << index) != 0);
            let set = live.with(chosen.map(|(_, candidate)| candidate.clone()).collect());
            set.filling(&aside).contains(extension) && !set.extensions(&aside).contains(extension)
        };
        let shown = live.extensions(&aside).iter();
        let lacked = shown.filter(|extension| (0..1 << candidates.len()).any(|chosen| lacks(chosen, extension)));
        let lacked = lacked.map(|extension| format!("{}@1.0.0 (order {})", extension.section.name, extension.order));
        let expected = lacked.collect::<Vec<_>>().join(", ");
        let problems = pushed_out(&offer(&live, &[]), &offer(&live, &candidates)).concat();
        let pushed = problems.split_once(" and not ").and_then(|(_, rest)| rest.split_once(", which"));
        assert_eq!(pushed.map_or("", |(pushed, _)| pushed), expected, "{problems}");
    }
}

#[test]
fn deploy_pushes_out_only_what_keeps_its_release() {
    let pushed_out = |before: &LoadedDeployment, after: &LoadedDeployment| {
        pushed_out(&offer(before, &[]), &offer(after, &[]))
    };
    let live = filled_set(1, 2, "a 10, b 20, c 30");
    for (case, (version, max, sections), pushed) in [
        ("nothing new", (1, 2, "a 10, b 20"), ""),
        ("a later one", (1, 2, "a 10, b 20, x 25"), ""),
        ("an earlier one", (1, 2, "a 10, b 20, x 15"), "b"),
        ("one that moves up", (1, 2, "a 10, b 20, c+ 5"), "b"),
        ("one that moves down", (1, 2, "a 10, b+ 40, c 30"), ""),
        ("both in one deploy", (1, 2, "a 10, b+ 20, x 15"), ""),
        ("a lower max", (1, 1, "a 10, b 20"), "b"),
        ("another version", (2, 1, "a 10, b 20"), ""),
    ] {
        let problems = pushed_out(&live, &filled_set(version, max, sections)).concat();
        let is_expected = if pushed.is_empty() {
            problems.is_empty()
        } else {
            problems.contains(&format!(" and not {pushed}@1.0.0 "))
        };
        assert!(is_expected, "{case}: {problems}");
    }
    // An operator's order decides which one.
    let [live, after] = [live, filled_set(1, 2, "a 10, b 20, x 15")]
        .map(|set| set.with_rules(rules(&["b", "x"], None, None)));
    assert_eq!(
        pushed_out(&live, &after),
        [
            "`page/aside@1` would show b@1.0.0 (order 20), x@1.0.0 (order 15) and not a@1.0.0 (order 10), which it shows now: \
             its `max` is 2; set `order` or `allow` in `[extension_points.\"page/aside\"]` of site.toml, or raise `max` in page"
        ]
    );
}

/// A section with these links, each with its order.
fn links(name: &str, entries: &[(&str, i64)]) -> Arc<LoadedRelease> {
    let mut sample = small_section(name, "1.0.0", &format!("/{name}"));
    let entries = entries.iter().map(|(label, order)| NavigationEntry {
        to: NavigationList::Footer,
        label: (*label).to_owned(),
        path: format!("/{name}#{label}"),
        order: *order,
    });
    sample.release.navigation = entries.collect();
    loaded(sample)
}

#[test]
fn navigation_lacks_links_of_unavailable_section() {
    let (damaged, other) = (links("a", &[("1", 0)]), links("b", &[("2", 0)]));
    let releases = vec![shell_release(), other];
    let record = deployment(1, &releases, BTreeSet::new());
    let unavailable = UnavailableRelease {
        id: damaged.id.clone(),
        error: "damaged".to_owned(),
        known: Some(damaged),
    };
    let set =
        LoadedDeployment::assemble(record, releases, vec![unavailable], Arc::default()).expect("they fit");
    let entries = set.navigation.entries.iter();
    let paths: Vec<&str> = entries.map(|entry| &*entry.path).collect();
    assert_eq!(paths, ["/b#2"]);
}

#[test]
fn navigation_is_sorted_by_order_section_and_place() {
    let set = assembled(vec![
        shell_release(),
        links("b", &[("2", 0), ("1", 0), ("0", -1)]),
        links("a", &[("4", 1), ("3", 0)]),
    ]);
    let entries = set.navigation.entries.iter();
    let paths: Vec<&str> = entries.map(|entry| &*entry.path).collect();
    assert_eq!(paths, ["/b#0", "/a#3", "/b#2", "/b#1", "/a#4"]);
}

#[test]
fn point_shows_first_extensions_by_order_and_name() {
    let aside = "section-0/aside@1";
    let opens = release(0, "1.0.0", (true, false, 0b110_0001)).unwrap();
    let set = assembled(vec![
        shell_release(),
        opens,
        fills(("b", "1.0.0"), 6, aside),
        fills(("c", "1.0.0"), 7, aside),
        fills(("a", "1.0.0"), 6, aside),
        fills(("d", "1.0.0"), 0, "section-0/aside@2"),
        fills(("e", "1.0.0"), 0, "shell/banner@1"),
    ]);
    let page = RequestPath::parse("/shop").unwrap();
    let shown = filled(&set, Some(&page));
    assert_eq!(
        shown[..2],
        [format!("{aside} 6 a@1.0.0"), format!("{aside} 6 b@1.0.0")]
    );
    assert_eq!(shown[2..], ["shell/banner@1 0 e@1.0.0"]);
    let left_out: Vec<_> = set.left_out().collect();
    let names = |left_out: &LeftOut<'_>| -> Vec<String> {
        let extensions = left_out.extensions.iter();
        extensions
            .map(|extension| extension.section.name.clone())
            .collect()
    };
    assert_eq!(
        (left_out[0].reason, names(&left_out[0])),
        (
            LeftOutReason::Full(2),
            vec!["section-0".to_owned(), "c".to_owned()]
        )
    );
    assert_eq!(
        (left_out[1].reason, names(&left_out[1])),
        (LeftOutReason::NotOpened, vec!["d".to_owned()])
    );
    assert_eq!(left_out.len(), 2);
}
