//! Deployment selection: which set of releases a visitor gets, by preview cookie or rollout
//! cohorts.

use std::sync::Arc;

use http::HeaderValue;

use colonnade_model::deployment::SetName;
use colonnade_model::pattern::RequestPath;
use colonnade_platform::deployment::Snapshot;
use colonnade_platform::preview::Preview;
use colonnade_platform::rollout::{COOKIE, COOKIE_SECONDS, Cohort};
use colonnade_store::loaded::LoadedDeployment;
use colonnade_web::cookie::{Cookie, Cookies};
use colonnade_web::response::{Response, ServedBy, Track};

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

/// What a visitor gets at a path, and why.
pub(crate) struct DeploymentSelection {
    /// The set, without the candidates that decide nothing at the path.
    pub(crate) deployment: Arc<LoadedDeployment>,
    reason: Reason,
    /// Whether the browser has a preview cookie that is no longer valid.
    has_stale_preview: bool,
}

/// Why the visitor gets this set.
enum Reason {
    /// It is live, and there is no rollout.
    Live,
    /// The visitor belongs to the cohorts of a set. The documents of all its pages are pinned to
    /// it.
    Rollout { cohort: Cohort, set: SetName },
    /// The visitor has a valid preview cookie.
    Preview,
}

impl DeploymentSelection {
    /// Selects the set for a request with these cookies; `None` if nothing is live. `path` is that
    /// of the page, if there is one.
    pub(crate) fn new(snapshot: &Snapshot, cookies: Cookies<'_>, path: Option<&RequestPath>) -> Option<Self> {
        let visible = &snapshot.state()?.visible;
        let preview = Preview::from_cookies(snapshot, cookies);
        let has_stale_preview = matches!(preview, Preview::Ended);
        let (deployment, reason) = match preview {
            Preview::Active(deployment) => (deployment, Reason::Preview),
            _ if visible.rollouts().is_empty() => (Arc::clone(snapshot.live()?), Reason::Live),
            _ => {
                let cohort = Cohort::new(cookies);
                let set = cohort.set(visible);
                let deployment = snapshot.set_at(&set, path)?;
                (deployment, Reason::Rollout { cohort, set })
            }
        };
        Some(Self {
            deployment,
            reason,
            has_stale_preview,
        })
    }

    /// The selection of every visitor who gets this set.
    pub(crate) fn live(deployment: Arc<LoadedDeployment>) -> Self {
        Self {
            deployment,
            reason: Reason::Live,
            has_stale_preview: false,
        }
    }

    /// The set that the visitor gets, with the candidates that decide nothing at the path.
    pub(crate) fn set(&self) -> &SetName {
        match &self.reason {
            Reason::Rollout { set, .. } => set,
            Reason::Live | Reason::Preview => &self.deployment.set,
        }
    }

    /// Who may cache documents of this selection.
    pub(crate) fn caching(&self) -> Caching {
        match self.reason {
            Reason::Preview => Caching::Never,
            _ if self.has_stale_preview => Caching::Never,
            Reason::Rollout { .. } => Caching::Private,
            Reason::Live => Caching::Public,
        }
    }

    /// Whether it is a preview.
    pub(crate) fn is_preview(&self) -> bool {
        matches!(self.reason, Reason::Preview)
    }

    /// Sets the cookies that keep the selection for the next request, the name of the set, to which
    /// the tab is pinned, and the robots header of previews.
    pub(crate) fn set_headers(&self, response: &mut Response, secure: bool) {
        let headers = response.headers_mut();
        if self.has_stale_preview {
            preview::delete_cookie(headers, secure);
        }
        // The script of the document reads the name of the set, to which it pins its tab (Server
        // Timing, section 5). The document itself has the name without the candidates that decide
        // nothing on its page, so that visitors share it. Always sent: a browser keeps the last
        // value of a cached document otherwise, and with it a candidate that was aborted.
        if let Ok(value) = HeaderValue::try_from(format!("deployment;desc=\"{}\"", self.set())) {
            headers.append("server-timing", value);
        }
        match &self.reason {
            Reason::Rollout { cohort, .. } => {
                if let Some(value) = cohort.new_cookie() {
                    Cookie::new(COOKIE, &value, COOKIE_SECONDS).append(headers, secure);
                }
            }
            Reason::Preview => headers.extend([preview::ROBOTS]),
            Reason::Live => {}
        }
    }
}

/// Returns whether the cookie of a request selects this set, as far as its rollouts are running.
pub(crate) fn has_selected(snapshot: &Snapshot, cookies: Cookies<'_>, set: &SetName) -> bool {
    let Some(state) = snapshot.state() else {
        return false;
    };
    if state.visible.rollouts().is_empty() {
        return *set == SetName::of_live(state.live());
    }
    Cohort::known(cookies).is_some_and(|cohort| cohort.set(&state.visible) == *set)
}

/// Returns the track of a set.
pub(crate) fn track(snapshot: &Snapshot, set: &SetName) -> Track {
    let Some(rollouts) = snapshot.state().and_then(|state| state.visible.rollouts_in(set)) else {
        return Track::Other;
    };
    let running = rollouts.filter(|(_, is_included)| *is_included).count();
    match set.candidates().len() {
        0 => Track::Live,
        count if count == running => Track::Candidate,
        _ => Track::Other,
    }
}

/// Returns the side of the rollout that changes the section of a request, if one is running. Previews
/// and earlier sets have no side.
pub(crate) fn rollout_side(snapshot: &Snapshot, served_by: &ServedBy) -> Option<Track> {
    let (section, set) = (served_by.section.as_ref()?, served_by.deployment.as_ref()?);
    let mut rollouts = snapshot.rollouts();
    let rollout = rollouts.find(|rollout| rollout.candidate.changes(section))?;
    if served_by.track == Some(Track::Other) {
        None
    } else if set.candidates().contains(&rollout.record.candidate) {
        Some(Track::Candidate)
    } else {
        Some(Track::Live)
    }
}
