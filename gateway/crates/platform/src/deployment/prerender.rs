//! Rendering deployments before they go live: trial renders that can reject a change, and cache
//! warming.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use crate::deployment::change_error::ChangeError;
use crate::deployment::deployments::Deployments;
use crate::deployment::plan::Command;
use crate::deployment::snapshot::Snapshot;
use colonnade_diagnostics::TrialAction;
use colonnade_model::release::{ExtensionPoint, ReleaseId};
use colonnade_render::{Renderer, RequestedRenders, Trial, TrialResults};
use colonnade_store::loaded::LoadedDeployment;
use colonnade_web::request_scope;

/// How long a deploy waits for the render cache to be warmed.
const MAX_WARMING: Duration = Duration::from_secs(1);

impl Deployments {
    /// Those of a plan's deployments with a section that was not yet rendered with its shell, or with
    /// the examples of a point that it fills.
    pub(super) fn unverified<'a>(
        &self,
        snapshot: &Snapshot,
        deployments: &'a [LoadedDeployment],
        verified: &mut TrialResults,
    ) -> Vec<&'a LoadedDeployment> {
        if self.enabled_renderer().is_none() {
            return Vec::new();
        }
        snapshot.visible_sets().iter().for_each(|set| verified.add(set));
        let deployments = deployments.iter();
        deployments.filter(|loaded| !verified.covers(loaded)).collect()
    }

    /// Renders an example of each page of these deployments, and each extension with the examples of
    /// its point. For a deploy, renders also what visitors request most, with the first deployment and
    /// the live one. Rejects the change if one fails.
    /// Then warms the render cache as far as time allows. This may take seconds, so the caller must
    /// not hold off changes.
    pub(super) async fn verify_rendering(
        &self,
        command: &Command,
        snapshot: &Snapshot,
        deployments: Vec<&LoadedDeployment>,
        verified: &mut TrialResults,
    ) -> Result<RequestedRenders, ChangeError> {
        let mut count = RequestedRenders::default();
        let (Some(action), Some(renderer)) = (command.trial(), self.enabled_renderer()) else {
            return Ok(count);
        };
        let (mut requested, accepts_status_changes) = match (command, &self.rendering.warmer) {
            (Command::Deploy(deploy), Some(documents)) => {
                (documents.requested_paths(), deploy.accepts_status_changes)
            }
            _ => (Vec::new(), false),
        };
        for loaded in &deployments {
            let live = snapshot.live().map(|live| &**live);
            let report = renderer
                .trial_render(
                    &self.store,
                    Trial {
                        action,
                        deployment: loaded,
                        live,
                        tried: verified,
                        requested: &std::mem::take(&mut requested),
                        accepts_status_changes,
                    },
                )
                .await;
            if !report.problems.is_empty() {
                return Err(ChangeError::RenderFailed(report.problems));
            }
            count.rendered += report.requested.rendered;
            count.changed += report.requested.changed;
            verified.add(loaded);
        }
        let warming = async {
            for loaded in &deployments {
                renderer.warm_cache(&self.store, loaded).await;
            }
        };
        // After this time, the remaining pages are rendered with their documents, when the
        // deployments are visible.
        let _ = timeout(MAX_WARMING, warming).await;
        Ok(count)
    }

    /// The pages and extensions of a deployment with a newly published release that fail to render;
    /// empty if it could go live.
    pub(crate) async fn render_problems(
        &self,
        snapshot: &Snapshot,
        loaded: &LoadedDeployment,
    ) -> Vec<String> {
        let Some(renderer) = self.enabled_renderer() else {
            return Vec::new();
        };
        let mut verified = TrialResults::default();
        snapshot.visible_sets().iter().for_each(|set| verified.add(set));
        let live = snapshot.live().map(|live| &**live);
        renderer
            .trial_render(
                &self.store,
                Trial {
                    action: TrialAction::Publish,
                    deployment: loaded,
                    live,
                    tried: &verified,
                    requested: &[],
                    accepts_status_changes: false,
                },
            )
            .await
            .problems
    }

    /// The live extensions of other sections that newly fail with the examples of extension points that a
    /// release would open; empty if it could go live. `None` if the gateway is too busy to render them.
    pub async fn point_problems(&self, owner: &ReleaseId, points: &[ExtensionPoint]) -> Option<Vec<String>> {
        let snapshot = self.current();
        let (Some(renderer), Some(live)) = (self.enabled_renderer(), snapshot.live()) else {
            return Some(Vec::new());
        };
        renderer.try_points(&self.store, live, owner, points).await
    }

    /// Warms the document cache in the background, if `now` shows visitors other sets than
    /// `before`. It warms the live deployment and each candidate. Sets of several candidates reuse
    /// their renders.
    pub(super) fn warm(&self, before: &Snapshot, now: &Snapshot) {
        let names = |snapshot: &Snapshot| {
            let numbers = snapshot
                .state()
                .map(|state| state.visible.numbers().collect::<Vec<_>>());
            numbers.unwrap_or_default()
        };
        if names(before) != names(now) || !Arc::ptr_eq(&before.rules, &now.rules) {
            self.warm_all(now);
        }
    }

    /// Warms the document cache again, because documents contain other values of the configuration.
    pub fn warm_again(&self) {
        self.warm_all(&self.current());
    }

    fn warm_all(&self, now: &Snapshot) {
        let Some(warmer) = &self.rendering.warmer else {
            return;
        };
        let (warmer, sets) = (Arc::clone(warmer), now.visible_sets());
        let warming = request_scope::spawn(async move {
            for set in sets {
                Arc::clone(&warmer).warm(set).await;
            }
        });
        let mut current = self.rendering.warming.lock();
        if let Some(last) = current.replace(warming.abort_handle()) {
            last.abort();
        }
    }

    fn enabled_renderer(&self) -> Option<&Renderer> {
        let renderer = self.rendering.renderer.as_deref();
        renderer.filter(|renderer| renderer.is_enabled())
    }
}
