//! What a section may claim: paths that another section serves need the permission of both, and the name of its container must
//! be its own.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use super::Snapshot;
use super::change::{ChangeError, MayChange};
use colonnade_model::deployment::Deployment;
use colonnade_model::pattern::{Pattern, Segment};
use colonnade_store::loaded::{LoadedDeployment, LoadedRelease, PageManifest, Role, SectionEntry};

/// The most claims that an error or a publish lists.
const MAX_CLAIMS: usize = 20;

/// A page with its pattern.
type RoutedPage = (Pattern, Arc<PageManifest>);

/// A pattern by which a section takes paths that are routed to another section.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    pattern: String,
    section: String,
    /// The pattern that loses paths.
    from_pattern: String,
    /// The section that loses paths.
    from_section: String,
}

impl Claim {
    /// The section that loses paths.
    pub fn from_section(&self) -> &str {
        &self.from_section
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pattern,
            section,
            from_pattern,
            from_section,
        } = self;
        write!(
            f,
            "pattern `{pattern}` of {section} takes paths of pattern `{from_pattern}` of {from_section}"
        )
    }
}

/// The claims over sections that the caller may not change: patterns that are new in a section and take paths of another one.
/// What the other section gives up is not taken. Returns at most [`MAX_CLAIMS`].
pub(crate) fn refused_claims(
    before: &LoadedDeployment,
    after: &LoadedDeployment,
    may_change: MayChange<'_>,
) -> BTreeSet<Claim> {
    let refused: Vec<_> = pages(before)
        .filter(|(pattern, page)| !is_catch_all(pattern) && !may_change(&page.section.name))
        .collect();
    let identity = |(_, page): &RoutedPage| (page.section.name.clone(), page.pattern.clone());
    let known: HashSet<_> = pages(before).map(identity).collect();
    let new = pages(after).filter(|page| !known.contains(&identity(page)));
    let claims = new.flat_map(|claiming| {
        refused
            .iter()
            .filter_map(|taken| claim(before, after, claiming, taken))
    });
    claims.take(MAX_CLAIMS).collect()
}

/// Whether a pattern has only parameters. Such a pattern reserves no paths: it would lock all other sections out.
fn is_catch_all(pattern: &Pattern) -> bool {
    let segments = pattern.segments();
    !segments.is_empty()
        && segments
            .iter()
            .all(|segment| matches!(segment, Segment::Param(_)))
}

/// The claim of a page over another one, if it takes paths of it.
fn claim(
    before: &LoadedDeployment,
    after: &LoadedDeployment,
    (pattern, page): &RoutedPage,
    (other, taken): &RoutedPage,
) -> Option<Claim> {
    if taken.section.name == page.section.name {
        return None;
    }
    let path = pattern.common_path(other)?;
    let is_routed = |deployment: &LoadedDeployment, page| {
        deployment
            .page(&path)
            .is_some_and(|routed| Arc::ptr_eq(routed, page))
    };
    (is_routed(before, taken) && is_routed(after, page)).then(|| Claim {
        pattern: page.pattern.clone(),
        section: page.section.name.clone(),
        from_pattern: taken.pattern.clone(),
        from_section: taken.section.name.clone(),
    })
}

fn pages(deployment: &LoadedDeployment) -> impl Iterator<Item = &RoutedPage> {
    deployment
        .releases
        .iter()
        .flat_map(|release| match &release.role {
            Role::Section(parts) => parts.pages.as_slice(),
            Role::Shell(_) => &[],
        })
}

/// Rejects claims.
pub(super) fn reject_claims(refused: BTreeSet<Claim>) -> Result<(), ChangeError> {
    if refused.is_empty() {
        Ok(())
    } else {
        Err(ChangeError::ClaimsNotAllowed(refused))
    }
}

/// Rejects a change whose deployments claim paths of sections that the caller may not change. Each deployment is compared with
/// the one that it replaces.
pub(super) fn require_claims(
    snapshot: &Snapshot,
    after: &[LoadedDeployment],
    may_change: MayChange<'_>,
) -> Result<(), ChangeError> {
    if may_change("*") {
        return Ok(());
    }
    let replaced = snapshot.visible().iter().zip(after);
    let refused = replaced.flat_map(|(before, after)| refused_claims(before, after, may_change));
    reject_claims(refused.collect())
}

/// Assembles the releases of a new deployment. Stored ones are exempt from the check of container names, so that the gateway
/// can load what it accepted before.
///
/// # Errors
/// All problems of the combination.
pub(crate) fn assemble_new(
    deployment: Deployment,
    releases: Vec<Arc<LoadedRelease>>,
) -> Result<LoadedDeployment, Vec<String>> {
    let mut problems = container_problems(&releases);
    match LoadedDeployment::assemble(deployment, releases) {
        Ok(loaded) if problems.is_empty() => Ok(loaded),
        assembled => {
            problems.extend(assembled.err().into_iter().flatten());
            Err(problems)
        }
    }
}

/// Sections with the same container: the browser would run the code of one in place of the other.
fn container_problems(releases: &[Arc<LoadedRelease>]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut sections = BTreeMap::new();
    for entry in releases.iter().filter_map(|release| entry(release)) {
        if let Some(other) = sections.insert(&entry.container, &entry.name) {
            problems.push(format!(
                "container `{}` is used by both {other} and {}",
                entry.container, entry.name
            ));
        }
    }
    problems
}

/// What the browser loads of a section; `None` if nothing refers to it.
fn entry(release: &LoadedRelease) -> Option<&SectionEntry> {
    let Role::Section(parts) = &release.role else {
        return None;
    };
    let of_pages = parts.pages.iter().map(|(_, page)| &page.section);
    let of_slots = parts.slots.iter().map(|(_, slot)| &slot.section);
    of_pages.chain(of_slots).next().map(|entry| &**entry)
}
