//! Bearer tokens, and the sessions that they start. The configuration contains the tokens' SHA-256
//! hashes only.
//!
//! A client that repeatedly sends no valid token is rate limited. A valid token is always accepted:
//! tokens are random, so that nobody can guess one, and a client can be a proxy or a tunnel that
//! operators share with the sender of the others.

use std::net::IpAddr;

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, Method};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use colonnade_config::{Action, Token};

use colonnade_web::client::ClientKey;
use colonnade_web::origin::{self, is_same_origin};
use colonnade_web::problem::HttpError;
use colonnade_web::rate_limiter::{ClientRateLimiter, RateLimited, RateLimits};

use super::AdminError;
use super::audit::{AuditCaller, Caller};
use super::session::Sessions;

/// How many requests per minute may fail for their token before further ones are refused with 429.
const FAILURE_LIMITS: RateLimits = RateLimits {
    total: 6000,
    per_client: 10,
};

/// How often the log says that a client is rate limited.
const EVENT_LIMITS: RateLimits = RateLimits {
    total: 60,
    per_client: 1,
};

/// Why a token is not accepted. The response does not say it: it would tell a stranger that a token
/// was valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenProblem {
    /// There is no bearer token.
    Missing,
    /// The token is not configured.
    Unknown,
    /// The token has expired.
    Expired,
    /// The session has ended.
    NoSession,
    /// A page of another origin sent the request with the cookie of a session.
    CrossOrigin,
}

impl TokenProblem {
    /// Its name in the audit log.
    pub(super) fn cause(self) -> &'static str {
        match self {
            Self::Missing => "token_missing",
            Self::Unknown => "token_unknown",
            Self::Expired => "token_expired",
            Self::NoSession => "session_unknown",
            Self::CrossOrigin => "cross_origin",
        }
    }
}

/// The rate limiters of requests without a valid token, by client.
#[derive(Default)]
pub(super) struct FailureLimiters {
    failures: ClientRateLimiter,
    events: ClientRateLimiter,
}

impl FailureLimiters {
    /// Counts a request without a valid token. Returns the error to answer with: `problem`, or that
    /// the client is rate limited.
    pub(super) fn limit(
        &self,
        client: Option<ClientKey>,
        client_ip: Option<IpAddr>,
        problem: TokenProblem,
    ) -> AdminError {
        if problem == TokenProblem::CrossOrigin {
            return HttpError::CrossOrigin.into();
        }
        let Err(RateLimited::Client(wait) | RateLimited::Total(wait)) =
            self.failures.try_acquire(client, FAILURE_LIMITS)
        else {
            return AdminError::Unauthorized(problem);
        };
        if self.events.try_acquire(client, EVENT_LIMITS).is_ok() {
            let client_ip = client_ip.map(tracing::field::display);
            tracing::warn!(event = "admin_client_rate_limited", client_ip);
        }
        AdminError::TooManyFailures(wait)
    }
}

/// Returns the token of a request, or of its session.
pub(super) fn authenticate<'a>(
    tokens: &'a [Token],
    sessions: &Sessions,
    head: &Parts,
    audit: &'a AuditCaller,
) -> Result<Caller<'a>, TokenProblem> {
    let (hash, session) = if head.headers.contains_key(AUTHORIZATION) {
        let sent = bearer_token(&head.headers).ok_or(TokenProblem::Missing)?;
        (Sha256::digest(sent).into(), None)
    } else {
        let key = sessions.key(&head.headers).ok_or(TokenProblem::Missing)?;
        // Browsers add the cookie to requests of any page of the same site, which includes other
        // ports of this host.
        if is_cross_origin(head, sessions.scheme()) {
            return Err(TokenProblem::CrossOrigin);
        }
        let session = sessions.find(key).ok_or(TokenProblem::NoSession)?;
        (session.token_hash, Some(session))
    };
    let token = find(tokens, hash).ok_or(TokenProblem::Unknown)?;
    audit.set_token(token);
    if token.is_expired() {
        return Err(TokenProblem::Expired);
    }
    Ok(audit.known(token, session))
}

/// Whether a page of another origin sent the request. A read without the headers that say so counts
/// as same-origin: old browsers send none, and other pages cannot read the response.
fn is_cross_origin(head: &Parts, scheme: &str) -> bool {
    let is_read = matches!(head.method, Method::GET | Method::HEAD);
    let is_unknown = is_read && !origin::is_known(&head.headers);
    !is_unknown && !is_same_origin(&head.uri, &head.headers, scheme)
}

fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, sent) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| sent.trim())
}

/// Returns the token with this hash. Compares it with every known one in constant time, so that the
/// duration reveals nothing about known tokens.
pub(super) fn find(tokens: &[Token], hash: [u8; 32]) -> Option<&Token> {
    tokens.iter().fold(None, |found, token| {
        if bool::from(token.hash.ct_eq(&hash)) {
            Some(token)
        } else {
            found
        }
    })
}

/// Requires that a token permits an action on a section.
pub(super) fn require(token: &Token, action: Action, section: &str) -> Result<(), AdminError> {
    if token.allows(action, section) {
        return Ok(());
    }
    Err(AdminError::Forbidden {
        token: token.name.clone(),
        action,
        section: section.to_owned(),
    })
}

/// Requires that a token permits an action on at least one section.
pub(super) fn require_any_section(token: &Token, action: Action) -> Result<(), AdminError> {
    if token.allows_some(action) {
        return Ok(());
    }
    Err(AdminError::Forbidden {
        token: token.name.clone(),
        action,
        section: "*".to_owned(),
    })
}
