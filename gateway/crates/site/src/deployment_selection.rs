//! Deployment selection: which deployment a visitor sees, by preview cookie or rollout cohorts.

use std::sync::Arc;

use colonnade_platform::deployment::Snapshot;
use colonnade_platform::preview::Preview;
use colonnade_platform::rollout::{COOKIE, COOKIE_SECONDS, CohortDraws};
use colonnade_store::loaded::LoadedDeployment;
use colonnade_web::cookie::{self, Cookies};
use colonnade_web::response::{Response, Track};

use crate::preview;

/// Who may cache a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caching {
    /// Any cache, after revalidation.
    Public,
    /// Only the visitor's browser, after revalidation: other visitors may see another deployment.
    Private,
    /// No cache.
    Never,
}

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
    /// The visitor belongs to a cohort of each running rollout.
    Rollout(CohortDraws<'a>),
    /// The visitor has a valid preview cookie.
    Preview,
}

impl<'a> DeploymentSelection<'a> {
    /// Selects the deployment for a request with these cookies; `None` if nothing is live.
    pub fn new(snapshot: &'a Snapshot, cookies: Cookies<'_>) -> Option<Self> {
        let live = snapshot.live()?;
        let preview = Preview::from_cookies(snapshot, cookies);
        let has_stale_preview = matches!(preview, Preview::Ended);
        let rollouts = snapshot.state().map_or(&[][..], |state| state.visible.rollouts());
        let (deployment, reason) = match preview {
            Preview::Active(deployment) => (deployment, Reason::Preview),
            _ if rollouts.is_empty() => (live, Reason::Live),
            _ => {
                let draws = CohortDraws::new(cookies, rollouts);
                let deployment = snapshot.visible().get(draws.combination())?;
                (deployment, Reason::Rollout(draws))
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

    /// Who may cache documents of this selection.
    pub(crate) fn caching(&self) -> Caching {
        match self.reason {
            Reason::Preview => Caching::Never,
            _ if self.has_stale_preview => Caching::Never,
            Reason::Rollout(_) => Caching::Private,
            Reason::Live => Caching::Public,
        }
    }

    /// Whether it is a preview.
    pub fn is_preview(&self) -> bool {
        matches!(self.reason, Reason::Preview)
    }

    /// Sets the cookies that keep the selection for the next request, and the robots header of
    /// previews.
    pub fn set_headers(&self, response: &mut Response, secure: bool) {
        let headers = response.headers_mut();
        if self.has_stale_preview {
            preview::delete_cookie(headers, secure);
        }
        match &self.reason {
            Reason::Rollout(draws) => {
                if let Some(value) = draws.new_cookie() {
                    cookie::set(headers, COOKIE, &value, COOKIE_SECONDS, secure);
                }
            }
            Reason::Preview => headers.extend([preview::ROBOTS]),
            Reason::Live => {}
        }
    }
}

/// Whether the rollout cookie of a request selects this deployment.
pub(crate) fn has_selected(snapshot: &Snapshot, cookies: Cookies<'_>, number: u64) -> bool {
    let rollouts = snapshot.state().map_or(&[][..], |state| state.visible.rollouts());
    let known = CohortDraws::known_combination(cookies, rollouts);
    let selected = snapshot.visible().get(known);
    selected.is_some_and(|selected| selected.number() == number)
}

/// The track of a deployment.
pub(crate) fn track(snapshot: &Snapshot, number: u64) -> Track {
    let visible = snapshot.visible();
    match visible.iter().position(|loaded| loaded.number() == number) {
        Some(0) => Track::Live,
        Some(_) => Track::Candidate,
        None => Track::Other,
    }
}
