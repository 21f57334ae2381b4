//! The settings that releases read, which are the facts of the site and the configuration of their
//! section: what is missing, or has another type.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::deployments::Deployments;
use super::snapshot::Snapshot;
use colonnade_config::{ExtensionPoints, Facts, Sections};
use colonnade_model::release::{FactType, ReleaseId};
use colonnade_store::loaded::LoadedRelease;

/// A setting that a release reads, and that the configuration does not have with this type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingProblem {
    release: ReleaseId,
    /// The table of the configuration file, such as `site.facts`.
    table: String,
    name: String,
    expected: FactType,
    /// The type that the setting has; `None` if there is no such setting.
    found: Option<&'static str>,
}

impl SettingProblem {
    /// The path of the key in the configuration file, such as `site.facts.city`.
    fn key(&self) -> String {
        format!("{}.{}", self.table, self.name)
    }
}

impl fmt::Display for SettingProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            release,
            table,
            name,
            expected,
            found,
        } = self;
        let line = format!("`{name} = {}`", expected.example());
        let (key, expected) = (self.key(), expected.name());
        // A second line for the same key would make the file invalid.
        match found {
            None => write!(
                f,
                "{release} reads `{key}` (a {expected}), which the configuration does not have; the \
                 operator adds {line} to `[{table}]` of site.toml"
            )?,
            Some(found) => write!(
                f,
                "{release} reads `{key}` as a {expected}, but in the configuration it is a {found}; the \
                 operator changes its line in `[{table}]` of site.toml to {line}"
            )?,
        }
        f.write_str(", and reloads the gateway")
    }
}

/// What the operator gives to releases.
#[derive(Debug)]
pub(super) struct Settings {
    facts: Facts,
    sections: Sections,
}

impl Settings {
    /// What a release reads, but the configuration lacks or has with another type.
    fn problems_of(&self, release: &LoadedRelease) -> Vec<SettingProblem> {
        let name = &release.id.name;
        let config = self.sections.get(name).map(|section| &section.config);
        let mut problems = problems_in("site.facts", Some(&self.facts), &release.facts, &release.id);
        let table = format!("sections.{name}.config");
        problems.extend(problems_in(&table, config, &release.config, &release.id));
        problems
    }
}

/// The problems of the settings that a release reads in one table, whose values are `None` if the
/// configuration does not have it.
fn problems_in(
    table: &str,
    values: Option<&Facts>,
    read: &BTreeMap<String, FactType>,
    release: &ReleaseId,
) -> Vec<SettingProblem> {
    let problem = |(name, expected): (&String, &FactType)| {
        let value = values.and_then(|values| values.get(name));
        let fits = value.is_some_and(|value| expected.fits(value));
        (!fits).then(|| SettingProblem {
            release: release.clone(),
            table: table.to_owned(),
            name: name.clone(),
            expected: *expected,
            found: value.map(FactType::name_of),
        })
    };
    read.iter().filter_map(problem).collect()
}

impl Deployments {
    /// Replaces the facts of the site, the settings of its sections, and which extensions its points
    /// show. Logs each setting that a live release or a candidate reads and that is missing or has
    /// another type. The gateway goes on serving these releases.
    pub async fn replace_settings(&self, facts: Facts, sections: Sections, points: &ExtensionPoints) {
        self.settings.store(Some(Arc::new(Settings { facts, sections })));
        let points = points.iter().map(|(id, point)| (id.clone(), point.rules()));
        self.replace_points(points.collect()).await;
        for problem in self.visible_setting_problems(&self.current()) {
            let key = problem.key();
            let SettingProblem {
                release,
                expected,
                found,
                ..
            } = problem;
            let expected = expected.name();
            tracing::warn!(event = "setting_missing_or_mistyped", release = %release, key, expected, found);
        }
    }

    /// What a release reads, but the configuration lacks or has with another type.
    pub(crate) fn setting_problems(&self, release: &LoadedRelease) -> Vec<SettingProblem> {
        let settings = self.settings.load();
        let problems = settings.as_deref().map(|settings| settings.problems_of(release));
        problems.unwrap_or_default()
    }

    /// What live releases and candidates read, but the configuration lacks or has with another type.
    pub fn visible_setting_problems(&self, snapshot: &Snapshot) -> Vec<SettingProblem> {
        let releases = snapshot.visible_releases();
        releases
            .flat_map(|release| self.setting_problems(release))
            .collect()
    }

    /// Which settings of visible releases are missing or mistyped, for `/readyz`.
    pub(super) fn settings_missing_or_mistyped(&self, snapshot: &Snapshot) -> Option<String> {
        let problems = self.visible_setting_problems(snapshot);
        let names: BTreeSet<String> = problems
            .into_iter()
            .map(|problem| format!("{} of {}", problem.key(), problem.release.name))
            .collect();
        let names: Vec<String> = names.into_iter().collect();
        (!names.is_empty()).then(|| format!("missing or mistyped settings: {}", names.join(", ")))
    }
}
