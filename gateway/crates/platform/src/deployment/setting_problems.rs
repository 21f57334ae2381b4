//! Which settings releases miss in the configuration.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::deployment::deployments::Deployments;
use crate::deployment::settings::{SettingProblem, Settings};
use crate::deployment::snapshot::Snapshot;
use colonnade_config::Config;
use colonnade_store::loaded::LoadedRelease;

impl Deployments {
    /// Replaces the facts of the site, the settings of its sections, the policy of documents, and which
    /// extensions points show. Logs each setting that a live release or a candidate needs and that is
    /// missing or has another type. The gateway goes on serving these releases.
    pub async fn replace_settings(&self, config: &Config) {
        self.operator.settings.store(Some(Arc::new(Settings::of(config))));
        let points = config.extension_points.iter();
        let points = points.map(|(id, point)| (id.clone(), point.rules()));
        self.replace_points(points.collect()).await;
        for problem in self.visible_setting_problems(&self.current()) {
            problem.log();
        }
    }

    /// What a release needs, but the configuration lacks or has with another type.
    pub(crate) fn setting_problems(&self, release: &LoadedRelease) -> Vec<SettingProblem> {
        let settings = self.operator.settings.load();
        let problems = settings.as_deref().map(|settings| settings.problems_of(release));
        problems.unwrap_or_default()
    }

    /// What live releases and candidates need, but the configuration lacks or has with another type.
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
