//! What the responses about a named set of releases have in common: those of `/_page` and
//! `/_remotes`.

use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderValue};

use colonnade_model::deployment::SetName;
use colonnade_platform::preview::is_visible;
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{JSON, NO_CACHE, NO_STORE, Response, ServedBy, conditional_response};

use crate::call::Call;
use crate::error::SiteError;

/// Browsers use the response for some time, because a set never changes.
const FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// How long browsers use a response.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reuse {
    /// Once: it is incomplete, or of a preview.
    Never,
    /// As long as it does not change: it has the configuration of a section or extensions, which
    /// operators change.
    Unchanged,
    /// For five minutes.
    FiveMinutes,
}

/// The set that the path of a request names.
///
/// # Errors
/// `404` if the name is malformed, `410` if the visitor may not have the set: visitors neither get
/// nor got it, and it is not that of the visitor's preview.
pub(crate) fn requested_set(call: &Call<'_>) -> Result<SetName, SiteError> {
    let name: SetName = call.parameter.parse().map_err(|_| HttpError::NotFound)?;
    if is_visible(call.snapshot, call.cookies, &name) {
        Ok(name)
    } else {
        Err(SiteError::DeploymentGone)
    }
}

impl Reuse {
    /// That of a complete response, with or without what operators change.
    pub(crate) fn of_complete(is_changeable: bool) -> Self {
        if is_changeable {
            Self::Unchanged
        } else {
            Self::FiveMinutes
        }
    }
}

/// Responds with JSON about a set.
pub(crate) fn set_response(
    request: &HeaderMap,
    name: SetName,
    json: &EncodedContent,
    reuse: Reuse,
) -> Response {
    let cache_control = match reuse {
        Reuse::Never => NO_STORE,
        Reuse::Unchanged => NO_CACHE,
        Reuse::FiveMinutes => FIVE_MINUTES,
    };
    let headers = HeaderMap::from_iter([(CACHE_CONTROL, cache_control)]);
    let mut response = conditional_response(request, &JSON, headers, json.preferred(request).clone());
    ServedBy::of(&mut response).deployment = Some(name);
    response
}
