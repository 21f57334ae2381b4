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
    /// What the request is for.
    pub kind: RequestKind,
    /// The name of the section whose page or asset the request is for.
    pub section: Option<String>,
    /// The side of the rollout that changes this section; `None` without one.
    pub rollout_side: Option<Track>,
    /// The name of the upstream that the request is for.
    pub upstream: Option<Arc<str>>,
}

/// What a request, or the work for one, is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RequestKind {
    /// A page, or the not-found page.
    Document,
    /// What a browser needs to show a page of the document that it has.
    PageData,
    /// A file of a release.
    Asset,
    /// The render of a page or an extension in a worker.
    Render,
    /// A query of a page or an extension, which an upstream answers.
    Query,
    /// What a visitor requests of an upstream.
    Upstream,
    /// A health check.
    Health,
    /// Anything else.
    #[default]
    Other,
}

impl RequestKind {
    /// The name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::PageData => "page_data",
            Self::Asset => "asset",
            Self::Render => "render",
            Self::Query => "query",
            Self::Upstream => "upstream",
            Self::Health => "health",
            Self::Other => "other",
        }
    }
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
