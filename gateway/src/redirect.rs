//! The redirect listener: redirects plain HTTP to the site's https origin.

use std::sync::Arc;

use colonnade_config::Origin;
use colonnade_web::response::{Response, ServedBy, empty, redirect, text};
use http::{StatusCode, Uri};

use crate::acme::Challenges;

/// The route of redirects, in logs and metrics.
const REDIRECT: &str = "redirect";

/// The route of challenges of a certificate authority (RFC 8555, section 8.3).
const CHALLENGE: &str = "acme_challenge";
const CHALLENGE_PATH: &str = "/.well-known/acme-challenge/";

/// Redirects to the same path and query at the site's origin. The host of the request is never
/// used, so that a request with a forged one leads nowhere else.
pub(crate) struct HttpsRedirect {
    origin: Origin,
    challenges: Arc<Challenges>,
}

impl HttpsRedirect {
    /// Redirects to this origin.
    pub(crate) fn new(origin: Origin, challenges: Arc<Challenges>) -> Self {
        Self { origin, challenges }
    }

    /// The response to a request: 308, which keeps method and body (RFC 9110, section 15.4.9).
    pub(crate) fn respond(&self, uri: &Uri) -> Response {
        let token = uri.path().strip_prefix(CHALLENGE_PATH);
        if let Some(authorization) = token.and_then(|token| self.challenges.http(token)) {
            let mut response = text(StatusCode::OK, &authorization);
            ServedBy::of(&mut response).route = Some(CHALLENGE.into());
            return response;
        }
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        let location = format!("{}{target}", self.origin.as_str());
        let response = redirect(StatusCode::PERMANENT_REDIRECT, &location);
        let mut response = response.unwrap_or_else(|| empty(StatusCode::BAD_REQUEST));
        ServedBy::of(&mut response).route = Some(REDIRECT.into());
        response
    }
}
