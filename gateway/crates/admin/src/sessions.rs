//! Sessions of the console. A browser sends its token once, and then a cookie that scripts cannot
//! read.
//!
//! A session is a random ID in memory. It has the permissions of its token, or the grants of its ID
//! token, at the time of each request, so that a revoked or expired token ends it.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use colonnade_web::cookie::{Cookie, Cookies};

use crate::access::{Credential, Identity};

/// How long a session lasts.
const LIFETIME: SignedDuration = SignedDuration::from_hours(12);

/// The maximum number of sessions of one token. A new one beyond it ends the oldest of the token,
/// and none of another.
const MAX_SESSIONS_PER_TOKEN: usize = 100;

/// The cookie.
pub(crate) const COOKIE: &str = "colonnade-session";

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
    pub(crate) expires_at: Timestamp,
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
    pub(crate) fn end(&self, session: &Session, headers: &mut HeaderMap) {
        self.sessions.lock().remove(&session.key);
        Cookie::new(COOKIE, "", 0)
            .strict()
            .append(headers, self.is_secure);
    }
}
