//! The source maps of a release. Visitors cannot read them: they contain the sources of a section.

use std::sync::Arc;

use http::StatusCode;

use colonnade_model::release::{ReleaseId, source_map_path};
use colonnade_store::ListedFile;
use colonnade_web::content_negotiation::Coding;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{JSON, Response, response};

use crate::operation::Call;
use crate::{Admin, AdminError, auth, query};

/// Read the source map of a script
///
/// It leads from the positions of errors to the sources of the section, which it contains. So it
/// needs a token that permits `publish`, `deploy` or `preview` on the section.
#[utoipa::path(
    get, path = "/api/v1/sections/{name}/releases/{version}/source-map", tag = "diagnostics", operation_id = "readSourceMap",
    params(
        ("script" = String, Query,
            description = "The script, as positions of errors name it: `section`, the server module, or the path of a file for \
                browsers, such as `client/home.js`."),
    ),
    responses(
        (status = 200, body = Object, description = "The source map, of version 3 (ECMA-426)."),
        (status = 404, description = "The release does not exist, or has no source map of the script."),
    ),
)]
pub(super) async fn read(admin: &Admin, call: Call<'_>) -> Result<Response, AdminError> {
    let script = query::text(call.head.uri.query(), "script")?;
    let id: ReleaseId = call.parameters.release();
    auth::require_team(call.caller.identity, &id.name)?;
    let store = admin.deployments.store();
    let release = store.release(&id).await?.ok_or(HttpError::NotFound)?.release;
    let path = source_map_path(release.modules.get(&script).unwrap_or(&script));
    let mut files = release.files.iter();
    let file = files.find(|file| file.path == path).ok_or(HttpError::NotFound)?;
    // A client can read slowly.
    let permits = Arc::clone(&admin.source_maps);
    let permit = permits.try_acquire_many_owned(u32::try_from(file.size).unwrap_or(u32::MAX));
    let permit = permit.map_err(|_| AdminError::TooManySourceMaps)?;
    let read = store.read_file(&id, ListedFile::from(file), Coding::Identity);
    let bytes = read.await?.ok_or(HttpError::NotFound)?;
    let mut response = response(StatusCode::OK, JSON, bytes);
    response.body_mut().hold(permit);
    Ok(response)
}
