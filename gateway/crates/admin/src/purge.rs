//! Removing responses of upstreams from the cache.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::schema::{Reason, optional};
use colonnade_web::body::RequestBody;
use colonnade_web::response::{Response, json};

use crate::audit::Caller;
use crate::{AdminError, PurgeResponses, auth, change};

/// Where the paths of all upstreams begin.
const ROOT: &str = "/api/";

/// The maximum length of a prefix in bytes.
const MAX_PREFIX: usize = 2048;

/// A request to remove responses.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Purge {
    /// What the path and query of the responses begin with.
    #[schema(pattern = "^/api/[!-~]*$", max_length = 2048)]
    prefix: String,
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Reason, required = false)]
    reason: Option<Reason>,
}

/// What was removed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PurgeResult {
    /// The number of responses.
    #[schema(minimum = 0)]
    purged: usize,
}

/// Remove responses of upstreams from the cache
///
/// Removes them from the cache of this gateway. Responses to requests that it has already sent are
/// not stored either. Needs a token for `*`.
#[utoipa::path(
    post, path = "/api/v1/upstreams/purge", tag = "upstreams", request_body = Purge,
    security(("token" = [Action::Purge.name()])),
    responses((status = 200, body = PurgeResult, description = "How many responses were removed.")),
)]
pub(super) async fn purge(
    purge_responses: &PurgeResponses,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let Purge { prefix, reason } = change::read_json(body).await?;
    caller.set_reason(reason.as_ref().map(|Reason(reason)| reason.as_str()));
    auth::require(caller.identity, Action::Purge, "*")?;
    let is_path = prefix.starts_with(ROOT) && prefix.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_path || prefix.len() > MAX_PREFIX {
        let expected = format!(
            "`prefix` must be a path that begins with `{ROOT}`, of at most {MAX_PREFIX} printable ASCII characters"
        );
        return Err(AdminError::Body(expected));
    }
    caller.set_target(&prefix);
    let purged = purge_responses(&prefix);
    Ok(json(StatusCode::OK, &PurgeResult { purged }))
}
