//! Bearer tokens, the sessions that they start, and client certificates. A bearer token is one of the
//! configuration, which contains its SHA-256 hash only, or an ID token of OIDC.
//!
//! A client that repeatedly sends no valid token is rate limited. A valid token is always accepted:
//! tokens are random, so that nobody can guess one, and a client can be a proxy or a tunnel that
//! operators share with the sender of the others.

use std::net::IpAddr;
use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, Method};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use colonnade_config::Action;
use colonnade_identity::{Holder, IdTokenProblem};
use colonnade_web::client::ClientKey;
use colonnade_web::origin::{self, is_same_origin};
use colonnade_web::problem::HttpError;
use colonnade_web::rate_limiter::{ClientRateLimiter, RateLimited, RateLimits};
use colonnade_web::request::Head;

use crate::access::{Access, Credential, Identity};
use crate::audit::AuditCaller;
use crate::error::AdminError;
use crate::sessions::{Session, Sessions};
use crate::token_problem::TokenProblem;

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

/// The rate limiters of requests without a valid token, by client.
#[derive(Default)]
pub(super) struct FailureLimiters {
    failures: ClientRateLimiter,
    events: ClientRateLimiter,
}

impl FailureLimiters {
    /// Refuses a client that has failed too often, before its request reaches an identity provider.
    pub(super) fn check(&self, client: ClientKey, client_ip: Option<IpAddr>) -> Result<(), AdminError> {
        let checked = self.failures.check(client, FAILURE_LIMITS);
        checked.map_err(|limited| self.limited(client, client_ip, limited))
    }

    /// The error to answer a request for its token with. An issuer that cannot be reached is not the
    /// fault of the client, and its keys are fetched rarely, however many requests need them.
    pub(super) fn refuse(
        &self,
        client: ClientKey,
        client_ip: Option<IpAddr>,
        problem: TokenProblem,
    ) -> AdminError {
        if problem.is_temporary() {
            return AdminError::Unauthorized(problem);
        }
        self.limit(client, client_ip, problem)
    }

    /// Counts a request without a valid token, or a sign-in, each of which can call the provider.
    /// Returns the error to answer with: `problem`, or that the client is rate limited.
    pub(super) fn limit(
        &self,
        client: ClientKey,
        client_ip: Option<IpAddr>,
        problem: TokenProblem,
    ) -> AdminError {
        match problem {
            TokenProblem::CrossOrigin => return HttpError::CrossOrigin.into(),
            // Not the fault of the client.
            TokenProblem::NoGrant => return AdminError::Unauthorized(problem),
            _ => {}
        }
        if let Err(limited) = self.failures.try_acquire(client, FAILURE_LIMITS) {
            return self.limited(client, client_ip, limited);
        }
        if let TokenProblem::IdToken(IdTokenProblem::Refused(provider)) = &problem
            && self.events.try_acquire(client, EVENT_LIMITS).is_ok()
        {
            tracing::warn!(event = "authorization_code_refused", provider);
        }
        AdminError::Unauthorized(problem)
    }

    fn limited(&self, client: ClientKey, client_ip: Option<IpAddr>, limited: RateLimited) -> AdminError {
        let (RateLimited::Client(wait) | RateLimited::Total(wait)) = limited;
        if self.events.try_acquire(client, EVENT_LIMITS).is_ok() {
            let client_ip = client_ip.map(tracing::field::display);
            tracing::warn!(event = "admin_client_rate_limited", client_ip);
        }
        AdminError::TooManyFailures(wait)
    }
}

/// Returns who sent a request: the holder of its token, of that of its session, or of the certificate
/// of its connection.
pub(super) async fn authenticate(
    access: &Access,
    sessions: &Sessions,
    head: &Head,
    audit: &AuditCaller,
) -> Result<(Identity, Option<Session>), TokenProblem> {
    if head.headers.contains_key(AUTHORIZATION) {
        let sent = bearer_token(&head.headers).ok_or(TokenProblem::Missing)?;
        let credential = credential(access, sent).await?;
        return Ok((identify(access, &credential, audit)?, None));
    }
    let Some(key) = sessions.key(&head.headers) else {
        let holder = certificate_holder(head, sessions.scheme())?;
        return Ok((
            identify(access, &Credential::Certificate(Arc::new(holder)), audit)?,
            None,
        ));
    };
    // Browsers add the cookie to requests of any page of the same site, which includes other ports of
    // this host.
    if is_cross_origin(head, sessions.scheme()) {
        return Err(TokenProblem::CrossOrigin);
    }
    let session = sessions.find(key).ok_or(TokenProblem::NoSession)?;
    let identity = identify(access, &session.credential, audit)?;
    Ok((identity, Some(session)))
}

/// What a bearer token is. A token of the configuration never waits for an identity provider.
async fn credential(access: &Access, sent: &str) -> Result<Credential, TokenProblem> {
    let hash = Sha256::digest(sent).into();
    if access.token(hash).is_some() || !access.providers.may_verify(sent) {
        return Ok(Credential::Token(hash));
    }
    let holder = access.providers.verify(sent).await;
    Ok(Credential::IdToken(Arc::new(
        holder.map_err(TokenProblem::IdToken)?,
    )))
}

/// Who showed the certificate of the connection.
fn certificate_holder(head: &Head, scheme: &str) -> Result<Holder, TokenProblem> {
    let certificate = head.client.certificate.as_ref();
    let holder = certificate.and_then(|der| Holder::of_certificate(der));
    let holder = holder.ok_or(TokenProblem::Missing)?;
    // Browsers show it for any page, and say which. Other clients say nothing.
    if origin::is_known(&head.headers) && !is_same_origin(&head.uri, &head.headers, scheme) {
        return Err(TokenProblem::CrossOrigin);
    }
    Ok(holder)
}

/// Who has a credential, unless it is a token or a certificate that has expired. An ID token was valid
/// when it was verified; a session that it started ends by itself.
pub(super) fn identify(
    access: &Access,
    credential: &Credential,
    audit: &AuditCaller,
) -> Result<Identity, TokenProblem> {
    let problem = match credential {
        Credential::Token(_) => TokenProblem::Unknown,
        Credential::IdToken(holder) => {
            audit.set_holder(holder);
            TokenProblem::NoGrant
        }
        Credential::Certificate(holder) => {
            audit.set_holder(holder);
            TokenProblem::CertificateWithoutGrant
        }
    };
    let identity = access.identity(credential).ok_or(problem)?;
    audit.set_name(&identity.name);
    let is_over = |expires: Timestamp| expires <= colonnade_clock::now();
    if !matches!(credential, Credential::IdToken(_)) && identity.expires.is_some_and(is_over) {
        return Err(TokenProblem::Expired);
    }
    Ok(identity)
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

/// Requires that a token permits an action on a section.
pub(super) fn require(identity: &Identity, action: Action, section: &str) -> Result<(), AdminError> {
    if identity.allows(action, section) {
        return Ok(());
    }
    Err(AdminError::Forbidden {
        token: identity.name.clone(),
        action,
        section: section.to_owned(),
    })
}

/// Requires that a token is of the section's team: that it permits to publish, deploy or preview it.
pub(super) fn require_team(identity: &Identity, section: &str) -> Result<(), AdminError> {
    if [Action::Deploy, Action::Preview]
        .iter()
        .any(|action| identity.allows(*action, section))
    {
        return Ok(());
    }
    require(identity, Action::Publish, section)
}

/// Requires that a token permits an action on at least one section.
pub(super) fn require_any_section(identity: &Identity, action: Action) -> Result<(), AdminError> {
    if identity.allows_some(action) {
        return Ok(());
    }
    Err(AdminError::Forbidden {
        token: identity.name.clone(),
        action,
        section: "*".to_owned(),
    })
}
