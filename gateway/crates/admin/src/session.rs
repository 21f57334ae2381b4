//! `/api/v1/session`: starting, reading and ending a session.

use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_identity::IdTokenProblem;
use colonnade_web::response::{Response, empty, json};

use crate::access::{Credential, Identity};
use crate::audit::{AuditCaller, Caller};
use crate::sessions::Session;
use crate::{Admin, AdminError, TokenProblem, auth};

/// Who the caller is, and what the caller may do.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SessionDescription {
    /// The name of the token, or of the holder of the ID token.
    token: String,
    /// What the token permits.
    permissions: Vec<SessionPermission>,
    /// When the session ends; null for a request with the token itself.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    expires_at: Option<Timestamp>,
}

/// Actions that are permitted on sections.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SessionPermission {
    /// The sections, or `*` for all.
    sections: Vec<String>,
    /// The actions.
    #[schema(value_type = Vec<String>)]
    actions: Vec<&'static str>,
}

/// Read what the caller may do
#[utoipa::path(
    get, path = "/api/v1/session", tag = "console", operation_id = "readSession",
    responses((status = 200, body = SessionDescription, description = "The token's name, and what it permits.")),
)]
pub(super) fn read(caller: Caller<'_>) -> Response {
    json(StatusCode::OK, &describe(caller.identity, caller.session))
}

/// Start a session
///
/// Sets a cookie that browsers send instead of the token. It has the permissions of the token, and
/// lasts twelve hours. A request with the cookie must come from a page of this listener. With a
/// session instead of a token the call changes nothing.
#[utoipa::path(
    post, path = "/api/v1/session", tag = "console", operation_id = "signIn",
    responses(
        (status = 200, body = SessionDescription, description = "The request has a session already."),
        (status = 201, body = SessionDescription, description = "The session has started."),
    ),
)]
pub(super) fn sign_in(admin: &Admin, caller: Caller<'_>) -> Result<Response, AdminError> {
    // A session does not start another one: it would never end.
    if caller.session.is_some() {
        return Ok(read(caller));
    }
    let expires = caller.identity.expires;
    // An ID token is accepted a little longer than a session of it would last.
    if expires.is_some_and(|expires| expires <= colonnade_clock::now()) {
        return Err(AdminError::Unauthorized(TokenProblem::IdToken(
            IdTokenProblem::Time,
        )));
    }
    Ok(start(admin, caller.identity, expires))
}

/// Starts a session, and responds with its description and its cookie.
pub(super) fn start(admin: &Admin, identity: &Identity, expires: Option<Timestamp>) -> Response {
    let mut headers = HeaderMap::new();
    let session = admin.sessions.start(identity, expires, &mut headers);
    let mut response = json(StatusCode::CREATED, &describe(identity, Some(&session)));
    response.headers_mut().extend(headers);
    response
}

/// End the session
#[utoipa::path(
    delete, path = "/api/v1/session", tag = "console", operation_id = "signOut",
    responses((status = 204, description = "The session has ended.")),
)]
pub(super) fn sign_out(admin: &Admin, caller: Caller<'_>) -> Response {
    let mut response = empty(StatusCode::NO_CONTENT);
    if let Some(session) = caller.session {
        admin.sessions.end(session, response.headers_mut());
    }
    response
}

fn describe(identity: &Identity, session: Option<&Session>) -> SessionDescription {
    let permissions = identity.permissions.iter();
    SessionDescription {
        token: identity.name.clone(),
        permissions: permissions
            .map(|(sections, actions)| SessionPermission {
                sections: sections.names().to_vec(),
                actions: actions.names().collect(),
            })
            .collect(),
        expires_at: session.map(|session| session.expires_at),
    }
}

impl Admin {
    /// Whether the caller of an earlier request still has access, and its session has not ended.
    pub(crate) fn is_authorized(&self, credential: &Credential, session: Option<&Session>) -> bool {
        let known = auth::identify(&self.access.load(), credential, &AuditCaller::default());
        let is_current = match (session, credential) {
            (Some(session), _) => self.sessions.contains(session),
            (None, Credential::IdToken(holder)) => holder.is_valid(),
            (None, _) => true,
        };
        known.is_ok() && is_current
    }
}
