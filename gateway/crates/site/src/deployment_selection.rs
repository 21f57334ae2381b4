//! Deployment selection: which deployment a visitor sees, by preview cookie or rollout cohort.

use std::sync::Arc;

use http::HeaderMap;

use colonnade_model::deployment::Rollout;
use colonnade_platform::deployment::Snapshot;
use colonnade_platform::preview::Preview;
use colonnade_platform::rollout::{COOKIE, COOKIE_SECONDS, CohortDraw, RolloutGroup};
use colonnade_store::loaded::LoadedDeployment;
use colonnade_web::cookie;
use colonnade_web::response::Response;

use crate::document::DocumentCaching;
use crate::preview;

/// The deployment that a visitor sees, and why.
pub struct DeploymentSelection<'a> {
    /// The deployment.
    pub deployment: &'a Arc<LoadedDeployment>,
    reason: Reason<'a>,
    /// Whether the browser has a preview cookie that is no longer valid.
    has_stale_preview: bool,
}

/// Why the visitor sees this deployment.
enum Reason<'a> {
    /// It is live, and there is no rollout.
    Live,
    /// The visitor belongs to a cohort of a rollout.
    Rollout {
        rollout: &'a Rollout,
        group: RolloutGroup,
        draw: CohortDraw,
        /// Whether the visitor has no cohort cookie yet.
        is_new: bool,
    },
    /// The visitor has a valid preview cookie.
    Preview,
}

impl<'a> DeploymentSelection<'a> {
    /// Selects the deployment for a request with these headers; `None` if nothing is live.
    pub fn new(snapshot: &'a Snapshot, headers: &HeaderMap) -> Option<Self> {
        let live = snapshot.live()?;
        let preview = Preview::from_headers(snapshot, headers);
        let has_stale_preview = matches!(preview, Preview::Ended);
        let (deployment, reason) = match (preview, snapshot.rollout()) {
            (Preview::Active(deployment), _) => (deployment, Reason::Preview),
            (_, None) => (live, Reason::Live),
            (_, Some(running)) => {
                let rollout = &running.record;
                let known = CohortDraw::from_cookie(headers, rollout);
                let draw = known.unwrap_or_else(CohortDraw::random);
                let (deployment, group) = if draw.is_within(rollout.percent) {
                    (&running.candidate, RolloutGroup::Candidate)
                } else {
                    (live, RolloutGroup::Live)
                };
                let reason = Reason::Rollout {
                    rollout,
                    group,
                    draw,
                    is_new: known.is_none(),
                };
                (deployment, reason)
            }
        };
        Some(Self {
            deployment,
            reason,
            has_stale_preview,
        })
    }

    /// The selection of every visitor while this deployment is live without a rollout.
    pub fn live(deployment: &'a Arc<LoadedDeployment>) -> Self {
        Self {
            deployment,
            reason: Reason::Live,
            has_stale_preview: false,
        }
    }

    /// Returns who may cache documents of this selection.
    pub fn caching(&self) -> DocumentCaching {
        match self.reason {
            Reason::Preview => DocumentCaching::Never,
            _ if self.has_stale_preview => DocumentCaching::Never,
            Reason::Rollout { .. } => DocumentCaching::Private,
            Reason::Live => DocumentCaching::Public,
        }
    }

    /// Returns whether it is a preview.
    pub fn is_preview(&self) -> bool {
        matches!(self.reason, Reason::Preview)
    }

    /// Returns the rollout and the visitor's group in it, if any.
    pub fn rollout(&self) -> Option<(&'a Rollout, RolloutGroup)> {
        match self.reason {
            Reason::Rollout { rollout, group, .. } => Some((rollout, group)),
            _ => None,
        }
    }

    /// Sets the cookies that keep the selection for the next request, and the robots header of previews.
    pub fn set_headers(&self, response: &mut Response, secure: bool) {
        let headers = response.headers_mut();
        if self.has_stale_preview {
            preview::delete_cookie(headers, secure);
        }
        match self.reason {
            Reason::Rollout {
                rollout,
                draw,
                is_new: true,
                ..
            } => cookie::set(headers, COOKIE, &draw.cookie(rollout), COOKIE_SECONDS, secure),
            Reason::Preview => headers.extend([preview::ROBOTS]),
            _ => {}
        }
    }
}
