//! Extensions that a change pushes out of their points: visitors would get others in their place, or
//! fewer.

use std::collections::BTreeMap;
use std::sync::Arc;

use colonnade_model::extension_rules::ExtensionRules;
use colonnade_store::loaded::{ExtensionManifest, LoadedDeployment, LoadedRelease};

use crate::deployment::left_out::described;
use crate::deployment::snapshot::Snapshot;

/// The releases that visitors get: each section's live one or that of a candidate, in any
/// combination.
pub(crate) struct Offer<'a> {
    pub(crate) live: &'a LoadedDeployment,
    /// The releases of the candidates. Those that are live, too, change nothing.
    pub(crate) candidates: Vec<&'a Arc<LoadedRelease>>,
    pub(crate) rules: &'a ExtensionRules,
}

/// The extensions that a change pushes out, as the problems of a deploy: those that the live releases
/// show before it, although their section keeps its release and its point stays open.
pub(crate) fn pushed_out(before: &Offer<'_>, after: &Offer<'_>) -> Vec<String> {
    let points = before
        .live
        .releases
        .iter()
        .flat_map(|release| &release.extension_points);
    let problems = points.filter_map(|opened| {
        let point = opened.reference();
        let shown = before.live.extensions(&point).iter();
        let mut pushed = shown
            .filter(|extension| after.keeps(extension))
            .filter(|extension| before.displaces(extension).is_none())
            .filter_map(|extension| Some((extension, after.displaces(extension)?)))
            .peekable();
        let (_, (max, others)) = pushed.peek()?.clone();
        let others: Vec<String> = others.into_iter().map(described).collect();
        let pushed: Vec<String> = pushed.map(|(extension, _)| described(extension)).collect();
        Some(format!(
            "`{point}` would show {} and not {}, which it shows now: its `max` is {max}; set `order` or `allow` in \
             `[extension_points.\"{}\"]` of site.toml, or raise `max` in {}",
            others.join(", "),
            pushed.join(", "),
            point.id(),
            point.owner()
        ))
    });
    problems.collect()
}

impl<'a> Offer<'a> {
    /// What visitors of a snapshot get with these live releases, without the candidate with this number.
    pub(crate) fn of(snapshot: &'a Snapshot, live: &'a LoadedDeployment, without: Option<u64>) -> Self {
        let running = snapshot.rollouts();
        let candidates = running.filter(|running| Some(running.record.candidate) != without);
        Self {
            live,
            candidates: candidates
                .flat_map(|running| &running.candidate.releases)
                .collect(),
            rules: &snapshot.rules,
        }
    }

    fn releases(&self) -> impl Iterator<Item = &'a Arc<LoadedRelease>> {
        self.live.releases.iter().chain(self.candidates.iter().copied())
    }

    /// Whether the live releases have this extension, and open its point.
    fn keeps(&self, extension: &Arc<ExtensionManifest>) -> bool {
        let opens = |release: &Arc<LoadedRelease>| {
            let mut opened = release.extension_points.iter();
            opened.any(|opened| opened.reference() == extension.point)
        };
        self.live.filling(&extension.point).contains(extension) && self.live.releases.iter().any(opens)
    }

    /// The `max` of the point of an extension, and that many of the extensions of other sections that
    /// can all come before it: some visitors do not get it. `None` if all of them do.
    fn displaces(&self, extension: &ExtensionManifest) -> Option<(usize, Vec<&'a Arc<ExtensionManifest>>)> {
        let point = &extension.point;
        let opened = self.releases().flat_map(|release| &release.extension_points);
        let opened = opened.filter(|opened| opened.reference() == *point);
        let max = opened.map(|opened| usize::from(opened.max)).min()?;
        let others = self.releases().flat_map(|release| release.extensions());
        let others = others.filter(|other| {
            other.point == *point
                && other.section.name != extension.section.name
                && other.refusal(self.rules).is_none()
                && other.rank(self.rules) < extension.rank(self.rules)
        });
        let mut by_section = BTreeMap::new();
        for other in others {
            let first = by_section.entry(&*other.section.name).or_insert(other);
            if other.rank(self.rules) < first.rank(self.rules) {
                *first = other;
            }
        }
        let mut others: Vec<_> = by_section.into_values().collect();
        others.sort_by_key(|other| other.rank(self.rules));
        others.truncate(max);
        (others.len() == max).then_some((max, others))
    }
}
