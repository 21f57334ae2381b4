//! Bearer tokens. The configuration contains their SHA-256 hashes only.
//!
//! A client that repeatedly sends no valid token is rate limited. A valid token is always accepted: tokens are random, so that
//! nobody can guess one, and a client can be a proxy or a tunnel that operators share with the sender of the others.

use std::net::IpAddr;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use colonnade_config::{Action, Token};

use colonnade_edge::rate_limiter::{KeyedRateLimiter, RateLimited, RateLimits};
use colonnade_web::client::ClientKey;

use super::AdminError;
use super::audit::{AuditCaller, Caller};

/// How many requests per minute may fail for their token before further ones are refused with 429.
const FAILURE_LIMITS: RateLimits = RateLimits {
    total: 6000,
    per_key: 10,
};

/// How often the log says that a client is rate limited.
const EVENT_LIMITS: RateLimits = RateLimits {
    total: 60,
    per_key: 1,
};

/// Why a token is not accepted. The response does not say it: it would tell a stranger that a token was valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenProblem {
    /// There is no bearer token.
    Missing,
    /// The token is not configured.
    Unknown,
    /// The token has expired.
    Expired,
}

impl TokenProblem {
    /// Its name in the audit log.
    pub(super) fn cause(self) -> &'static str {
        match self {
            Self::Missing => "token_missing",
            Self::Unknown => "token_unknown",
            Self::Expired => "token_expired",
        }
    }
}

/// The rate limiters of requests without a valid token, by client.
#[derive(Default)]
pub(super) struct FailureLimiters {
    failures: KeyedRateLimiter<Option<ClientKey>>,
    events: KeyedRateLimiter<Option<ClientKey>>,
}

impl FailureLimiters {
    /// Counts a request without a valid token. Returns the error to answer with: `problem`, or that the client is rate
    /// limited.
    pub(super) fn limit(
        &self,
        client: Option<ClientKey>,
        client_ip: Option<IpAddr>,
        problem: TokenProblem,
    ) -> AdminError {
        let Err(RateLimited::Key(wait) | RateLimited::Total(wait)) =
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

/// Returns the token of a request. Compares it with every known token in constant time, so that the duration reveals
/// nothing about known tokens.
pub(super) fn authenticate<'a>(
    tokens: &'a [Token],
    headers: &HeaderMap,
    audit: &'a AuditCaller,
) -> Result<Caller<'a>, TokenProblem> {
    let sent = bearer_token(headers).ok_or(TokenProblem::Missing)?;
    let token = find(tokens, sent).ok_or(TokenProblem::Unknown)?;
    audit.set_token(token);
    if token.is_expired() {
        return Err(TokenProblem::Expired);
    }
    Ok(audit.known(token))
}

fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, sent) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| sent.trim())
}

fn find<'a>(tokens: &'a [Token], sent: &str) -> Option<&'a Token> {
    let hash: [u8; 32] = Sha256::digest(sent).into();
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
