//! What served a request.

use std::borrow::Cow;
use std::sync::Arc;

use colonnade_model::deployment::SetName;

/// What served a request, for logs, metrics and canary analysis. A part of the response's body: as
/// an extension it would take three allocations.
#[derive(Debug, Clone, Default)]
pub struct ServedBy {
    /// The name of the route. It never contains the path of the request.
    pub route: Option<Cow<'static, str>>,
    /// The set of releases.
    pub deployment: Option<SetName>,
    /// The track of the deployment.
    pub track: Option<Track>,
    /// The name of the section whose page the request is for.
    pub section: Option<String>,
    /// The name of the upstream that the request is for.
    pub upstream: Option<Arc<str>>,
}

/// Which track of deployments served a request, for metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Track {
    /// The live deployment.
    Live,
    /// A deployment with the changes of a rollout.
    Candidate,
    /// A preview, or a deployment that a tab is pinned to.
    Other,
}

impl Track {
    /// The name in metrics and in the admin API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Candidate => "candidate",
            Self::Other => "other",
        }
    }
}
