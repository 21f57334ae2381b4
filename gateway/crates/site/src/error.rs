//! The errors of the site's routes.

use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};

use colonnade_model::deployment::SetName;
use colonnade_model::pattern::PathError;
use colonnade_platform::deployment::{Snapshot, StoreUnreadable};
use colonnade_store::StoreError;
use colonnade_web::content_negotiation::prefers_html;
use colonnade_web::problem::{Audience, HttpError, Problem};

use crate::document::SiteView;
use crate::reports::error::ReportError;

/// The error of a route.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// An error that both listeners have.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The path cannot be decoded.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The deployment was removed by garbage collection, or never existed.
    #[error("The deployment is not retained.")]
    DeploymentGone,
    /// No deployment is live yet.
    #[error("No deployment is live.")]
    NothingLive,
    /// The path may be one of a section whose release is missing or damaged.
    #[error("A section of the deployment is not available.")]
    SectionUnavailable {
        /// The deployment; `None` for a file.
        deployment: Option<SetName>,
        /// The section; `None` if the path is that of no known page.
        section: Option<String>,
    },
    /// The preview has expired, or its token is invalid.
    #[error(
        "This preview has ended, or its link is incomplete. Ask the person who sent it to you for a new one."
    )]
    PreviewOver,
    /// A report of a browser is rejected.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Another gateway may have deployed what the request names, but the store cannot be read.
    #[error(transparent)]
    StoreUnreadable(#[from] StoreUnreadable),
    /// A file cannot be read. Several requests can share the cause.
    #[error("The file cannot be read.")]
    Store {
        /// The section of the file.
        section: String,
        /// Why it cannot be read.
        cause: Arc<StoreError>,
    },
}

impl SiteError {
    /// The deployment that the error is about.
    pub(crate) fn deployment(&self) -> Option<&SetName> {
        match self {
            Self::SectionUnavailable { deployment, .. } => deployment.as_ref(),
            _ => None,
        }
    }

    /// The section that the error is about.
    pub(crate) fn section(&self) -> Option<&str> {
        match self {
            Self::SectionUnavailable { section, .. } => section.as_deref(),
            Self::Store { section, .. } => Some(section),
            _ => None,
        }
    }
}

impl Problem for SiteError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Http(error) => error.status(),
            Self::Path(_) => StatusCode::BAD_REQUEST,
            Self::DeploymentGone => StatusCode::GONE,
            Self::NothingLive | Self::SectionUnavailable { .. } | Self::StoreUnreadable(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::PreviewOver => StatusCode::FORBIDDEN,
            Self::Report(error) => error.status(),
            Self::Store { cause, .. } if cause.is_damage() || cause.is_away() => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Store { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn title(&self) -> &str {
        match self {
            Self::Http(error) => error.title(),
            Self::Path(_) => "This address doesn’t work",
            Self::PreviewOver => "This preview has ended",
            Self::NothingLive => "This site is being set up",
            Self::SectionUnavailable { .. } => "This page isn’t available",
            Self::Store { .. } | Self::StoreUnreadable(_) => "Something went wrong",
            _ => self.status().canonical_reason().unwrap_or("Error"),
        }
    }

    fn visitor_detail(&self) -> String {
        match self {
            Self::Http(error) => error.visitor_detail(),
            // Most visitors do not know how URLs are encoded.
            Self::Path(_) => "The address has a mistake in it.".to_owned(),
            Self::NothingLive => "There’s nothing to see yet. Please come back in a few minutes.".to_owned(),
            Self::SectionUnavailable { .. } => {
                "Part of this site isn’t available. Please come back later.".to_owned()
            }
            Self::Store { .. } | Self::StoreUnreadable(_) => "Please try again.".to_owned(),
            _ => self.to_string(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Http(error) => error.retry_after(),
            Self::NothingLive | Self::SectionUnavailable { .. } => Some(Duration::from_secs(30)),
            Self::Report(error) => error.retry_after(),
            // Another gateway may be able to read it.
            Self::StoreUnreadable(_) => Some(Duration::from_secs(1)),
            Self::Store { cause, .. } if cause.is_away() => Some(Duration::from_secs(1)),
            _ => None,
        }
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        if let Self::Http(error) = self {
            error.add_headers(headers);
        }
    }

    fn add_members(&self, members: &mut Map<String, Value>) {
        if let Self::Http(error) = self {
            error.add_members(members);
        }
    }

    fn log(&self) {
        // The store logs damaged files, and the poll an unreachable store, but not at each request.
        if let Self::Store { cause, .. } = self
            && !cause.is_damage()
            && !cause.is_away()
        {
            tracing::error!(event = "store_error", error = %cause);
        }
    }
}

/// The audience of HTML error pages: they show the site's name and, if a deployment is live, links
/// to the site's pages.
pub(crate) fn visitor(snapshot: &Snapshot, site: &SiteView) -> Audience {
    visitor_from(snapshot, site, None)
}

/// Does the same with a link to the page with this path.
pub(crate) fn visitor_from(snapshot: &Snapshot, site: &SiteView, back: Option<String>) -> Audience {
    Audience::Person {
        frame: Arc::new(site.frame(snapshot.live())),
        live: snapshot.live().is_some(),
        back,
    }
}

/// The format of a route's error responses.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ErrorFormat {
    /// An HTML page. People also follow links of previews, and to other sites.
    Page,
    /// An HTML page for a browser that follows a link or sends a form, otherwise a line of text.
    PageOrText,
    /// A line of text.
    Text,
    /// A JSON object, for scripts.
    Json,
}

impl ErrorFormat {
    /// The audience that gets this format.
    pub(crate) fn audience(self, snapshot: &Snapshot, site: &SiteView, head: &Parts) -> Audience {
        match self {
            Self::Page => visitor(snapshot, site),
            Self::PageOrText if prefers_html(&head.headers) => visitor(snapshot, site),
            Self::Text | Self::PageOrText => Audience::Program,
            Self::Json => Audience::Script,
        }
    }
}
