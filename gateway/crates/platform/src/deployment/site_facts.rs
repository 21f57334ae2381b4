//! The facts of the site that releases read: what is missing, or has another type.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::deployments::Deployments;
use super::snapshot::Snapshot;
use colonnade_config::Facts;
use colonnade_model::release::{FactType, ReleaseId};
use colonnade_store::loaded::LoadedRelease;

/// A fact that a release reads, and that the site does not have with this type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FactProblem {
    release: ReleaseId,
    fact: String,
    expected: FactType,
    /// The type that the fact has; `None` if there is no such fact.
    found: Option<&'static str>,
}

impl fmt::Display for FactProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            release,
            fact,
            expected,
            found,
        } = self;
        let line = format!("`{fact} = {}`", expected.example());
        let expected = expected.name();
        write!(f, "{release} reads the fact `{fact}`: expected a {expected}, ")?;
        // A second line for the same fact would make the file invalid.
        match found {
            None => write!(
                f,
                "found missing; the operator adds {line} to `[site.facts]` of site.toml"
            )?,
            Some(found) => write!(
                f,
                "found a {found}; the operator changes its line in `[site.facts]` of site.toml to {line}"
            )?,
        }
        f.write_str(" and reloads it")
    }
}

impl Deployments {
    /// Replaces the facts of the site. Logs each fact that a live release or a candidate reads and
    /// that is missing or has another type. The gateway goes on serving these releases.
    pub fn replace_facts(&self, facts: Facts) {
        self.facts.store(Some(Arc::new(facts)));
        for problem in self.visible_fact_problems(&self.current()) {
            let FactProblem {
                release,
                fact,
                expected,
                found,
            } = problem;
            let expected = expected.name();
            tracing::warn!(event = "fact_missing_or_mistyped", release = %release, fact, expected, found);
        }
    }

    /// What a release reads, but the site lacks or has with another type.
    pub(crate) fn fact_problems(&self, release: &LoadedRelease) -> Vec<FactProblem> {
        let facts = self.facts.load();
        let Some(facts) = facts.as_deref() else {
            return Vec::new();
        };
        let problem = |(fact, expected): (&String, &FactType)| {
            let value = facts.get(fact);
            let fits = value.is_some_and(|value| expected.fits(value));
            (!fits).then(|| FactProblem {
                release: release.id.clone(),
                fact: fact.clone(),
                expected: *expected,
                found: value.map(FactType::name_of),
            })
        };
        release.facts.iter().filter_map(problem).collect()
    }

    fn visible_fact_problems(&self, snapshot: &Snapshot) -> Vec<FactProblem> {
        let releases = snapshot.visible_releases();
        releases.flat_map(|release| self.fact_problems(release)).collect()
    }

    /// Which facts of visible releases are missing or mistyped, for `/readyz`.
    pub(super) fn facts_missing_or_mistyped(&self, snapshot: &Snapshot) -> Option<String> {
        let problems = self.visible_fact_problems(snapshot);
        let names: BTreeSet<String> = problems
            .into_iter()
            .map(|problem| format!("{} of {}", problem.fact, problem.release.name))
            .collect();
        let names: Vec<String> = names.into_iter().collect();
        (!names.is_empty()).then(|| format!("missing or mistyped facts: {}", names.join(", ")))
    }
}
