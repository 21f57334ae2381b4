//! The redirect listener: redirects plain HTTP to the site's https origin.

use std::borrow::Cow;

use colonnade_config::Origin;
use colonnade_web::response::{Response, RouteName, empty, redirect};
use http::{StatusCode, Uri};

/// The route of redirects, in logs and metrics.
const REDIRECT: &str = "redirect";

/// Redirects to the same path and query at the site's origin. The host of the request is never used, so that a request with
/// a forged one leads nowhere else.
pub(crate) struct HttpsRedirect {
    origin: Origin,
}

impl HttpsRedirect {
    /// The names of its routes.
    pub(crate) fn route_names() -> Vec<Cow<'static, str>> {
        [REDIRECT, "invalid_request"].map(Cow::Borrowed).into()
    }

    /// Redirects to this origin.
    pub(crate) fn new(origin: Origin) -> Self {
        Self { origin }
    }

    /// The response to a request: 308, which keeps method and body (RFC 9110, section 15.4.9).
    pub(crate) fn respond(&self, uri: &Uri) -> Response {
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        let location = format!("{}{target}", self.origin.as_str());
        let response = redirect(StatusCode::PERMANENT_REDIRECT, &location);
        let mut response = response.unwrap_or_else(|| empty(StatusCode::BAD_REQUEST));
        response.extensions_mut().insert(RouteName(REDIRECT.into()));
        response
    }
}
