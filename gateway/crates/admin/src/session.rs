//! Sessions of the console. A browser sends its token once, and then a cookie that scripts cannot
//! read.
//!
//! A session is a random ID in memory. It has the permissions of its token, or the grants of its ID
//! token, at the time of each request, so that a revoked or expired token ends it.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, StatusCode};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use utoipa::ToSchema;

use colonnade_identity::IdTokenProblem;
use colonnade_web::cookie::{Cookie, Cookies};
use colonnade_web::response::{Response, empty, json};

use crate::access::{Credential, Identity};
use crate::audit::{AuditCaller, Caller};
use crate::auth::{self, TokenProblem};
use crate::{Admin, AdminError};

/// How long a session lasts.
const LIFETIME: SignedDuration = SignedDuration::from_hours(12);

/// The maximum number of sessions of one token. A new one beyond it ends the oldest of the token,
/// and none of another.
const MAX_SESSIONS_PER_TOKEN: usize = 100;

/// The cookie.
pub(super) const COOKIE: &str = "colonnade-session";

/// The SHA-256 digest of a session's ID. The time to find it reveals nothing about the ID.
type Key = [u8; 32];

/// The sessions of one gateway process.
pub(crate) struct Sessions {
    is_secure: bool,
    sessions: Mutex<HashMap<Key, Session>>,
}

/// A session.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    key: Key,
    /// What started it.
    pub(crate) credential: Credential,
    /// The key by which limits count the caller.
    owner: [u8; 32],
    started: Instant,
    expires_at: Timestamp,
}

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

impl Sessions {
    /// Creates the sessions of a listener. `is_secure` says whether it uses TLS.
    pub(crate) fn new(is_secure: bool) -> Self {
        Self {
            is_secure,
            sessions: Mutex::default(),
        }
    }

    /// Whether the listener uses TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// The scheme of the listener's origin.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.is_secure { "https" } else { "http" }
    }

    /// The key of the session that a request names, if it names one.
    pub(crate) fn key(&self, headers: &HeaderMap) -> Option<Key> {
        let id = Cookies::new(headers, self.is_secure).get(COOKIE)?;
        Some(Sha256::digest(id).into())
    }

    /// The session with this key, unless it has ended.
    pub(crate) fn find(&self, key: Key) -> Option<Session> {
        let found = self.sessions.lock().get(&key).cloned();
        found.filter(|session| session.expires_at > colonnade_clock::now())
    }

    /// Whether a session has not ended.
    pub(crate) fn contains(&self, session: &Session) -> bool {
        self.find(session.key).is_some()
    }

    /// Starts a session, and sets its cookie. It ends when the credential expires, if it does.
    pub(crate) fn start(
        &self,
        identity: &Identity,
        expires: Option<Timestamp>,
        headers: &mut HeaderMap,
    ) -> Session {
        let random: [u8; 32] = rand::random();
        let id = URL_SAFE_NO_PAD.encode(random);
        let now = colonnade_clock::now();
        let until = now.saturating_add(LIFETIME).unwrap_or(now);
        let session = Session {
            key: Sha256::digest(&id).into(),
            credential: identity.credential.clone(),
            owner: identity.key,
            started: Instant::now(),
            expires_at: expires.map_or(until, |expires| expires.min(until)),
        };
        let mut sessions = self.sessions.lock();
        sessions.retain(|_, other| other.expires_at > now);
        let own = || sessions.values().filter(|other| other.owner == session.owner);
        let oldest = own().min_by_key(|other| other.started).map(|other| other.key);
        if own().count() >= MAX_SESSIONS_PER_TOKEN
            && let Some(oldest) = oldest
        {
            sessions.remove(&oldest);
        }
        sessions.insert(session.key, session.clone());
        let seconds = session.expires_at.duration_since(now).as_secs();
        Cookie::new(COOKIE, &id, seconds)
            .strict()
            .append(headers, self.is_secure);
        session
    }

    /// Ends a session, and deletes its cookie.
    fn end(&self, session: &Session, headers: &mut HeaderMap) {
        self.sessions.lock().remove(&session.key);
        Cookie::new(COOKIE, "", 0)
            .strict()
            .append(headers, self.is_secure);
    }
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
