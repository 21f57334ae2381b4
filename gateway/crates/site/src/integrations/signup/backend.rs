//! The client of the sign-up backend.

use std::convert::Infallible;
use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

use colonnade_admission::Pool;
use colonnade_config::integrations::{CurrentSignupLimits, Signup};
use colonnade_upstream::circuit_breaker::{CircuitBreaker, Verdict};
use colonnade_upstream::outbound_client;
use colonnade_web::client::ClientKey;
use colonnade_web::request_scope;
use colonnade_web::response::{REQUEST_ID, RequestId};

use crate::integrations::configured::SIGNUP;
use crate::integrations::signup::circuit_breaker::SignupBreaker;
use crate::integrations::signup::error::{FAILED, SignupError};
use crate::integrations::signup::fields::Fields;
use crate::integrations::signup::metrics::SignupMetrics;

/// The most bytes of the backend's response.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// The most characters of the backend's error message that visitors see.
const MAX_MESSAGE_CHARS: usize = 500;

/// The sign-up backend.
pub(super) struct Backend {
    client: Client,
    url: Url,
    key: SecretString,
    affiliate_subid: String,
    total_timeout: Duration,
    limits: CurrentSignupLimits,
    calls: Pool<Infallible>,
    circuit_breaker: Arc<CircuitBreaker<SignupBreaker>>,
}

/// The HTTP client for the backend cannot be created, because the system's root certificates cannot
/// be loaded.
#[derive(Debug, thiserror::Error)]
#[error("the sign-up backend cannot be called over TLS: {0}")]
pub struct BackendError(reqwest::Error);

/// The request to the backend.
#[derive(Serialize)]
struct BackendRequest<'a> {
    email: &'a str,
    password: &'a str,
    age: u64,
    affiliate_subid: &'a str,
}

/// Why a call fails.
#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error(transparent)]
    Http(reqwest::Error),
    #[error("the response did not arrive in time")]
    TimedOut,
    #[error("the response has more than {MAX_RESPONSE_BYTES} bytes")]
    TooLarge,
    #[error("the response with status {0} is not a JSON object")]
    NotJson(StatusCode),
    #[error("the request cannot be serialized")]
    Serialize,
}

impl Backend {
    /// Creates a client of the configured backend with these limits.
    pub(super) fn new(
        signup: &Signup,
        limits: &CurrentSignupLimits,
        metrics: &SignupMetrics,
    ) -> Result<Self, BackendError> {
        let client = outbound_client(signup.backend.url())
            // A sign-up is never retried, because it may have succeeded. The backend can close an
            // idle connection just when it is used, so connections are kept for less time than the
            // backend keeps them.
            .pool_max_idle_per_host(if signup.keepalive_timeout.is_zero() {
                0
            } else {
                usize::MAX
            })
            .pool_idle_timeout(signup.keepalive_timeout)
            .connect_timeout(signup.connect_timeout);
        let mut url = signup.backend.url().clone();
        url.set_path(SIGNUP);
        Ok(Self {
            client: client.build().map_err(BackendError)?,
            url,
            key: signup.backend_api_key.clone(),
            affiliate_subid: signup.affiliate_subid.clone(),
            total_timeout: signup.total_timeout,
            limits: Arc::clone(limits),
            calls: Pool::default(),
            circuit_breaker: CircuitBreaker::new(SignupBreaker {
                limits: Arc::clone(limits),
                metrics: metrics.clone(),
            }),
        })
    }

    /// Sends the sign-up of a client. Returns the backend's redirect target, if it names one.
    pub(super) async fn sign_up(
        &self,
        fields: &Fields,
        client: ClientKey,
    ) -> Result<Option<String>, SignupError> {
        // Held until the response is read. There is no queue, because the visitor is waiting.
        let max_concurrent = self.limits.load().max_concurrent;
        let _permit = self
            .calls
            .try_acquire(max_concurrent)
            .ok_or(SignupError::ConcurrencyLimited)?;
        let breaker_permit = self
            .circuit_breaker
            .try_acquire(Some(client))
            .map_err(SignupError::CircuitOpen)?;
        let result = tokio::time::timeout(self.total_timeout, self.call(fields)).await;
        let result = result.unwrap_or(Err(CallError::TimedOut));
        breaker_permit.record(
            result
                .as_ref()
                .map_or_else(CallError::verdict, |_| Verdict::Served),
        );
        let (status, response) = result.map_err(CallError::log)?;
        if status.is_success() {
            return Ok(string(&response, "redirectUrl"));
        }
        let message = string(&response, "error").filter(|message| !message.trim().is_empty());
        let message = message.map_or_else(
            || FAILED.to_owned(),
            |message| message.chars().take(MAX_MESSAGE_CHARS).collect(),
        );
        let is_error = status.is_client_error() || status.is_server_error();
        // Other statuses, such as redirects, would mean something else to the browser.
        let status = if is_error { status } else { StatusCode::BAD_GATEWAY };
        Err(SignupError::Rejected { status, message })
    }

    async fn call(&self, fields: &Fields) -> Result<(StatusCode, Map<String, Value>), CallError> {
        let body = BackendRequest {
            email: fields.email.expose_secret(),
            password: fields.password.expose_secret(),
            age: fields.age,
            affiliate_subid: &self.affiliate_subid,
        };
        let body = serde_json::to_vec(&body).map_err(|_| CallError::Serialize)?;
        let mut request = self
            .client
            .post(self.url.clone())
            .bearer_auth(self.key.expose_secret())
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(RequestId(id)) = request_scope::current_id() {
            request = request.header(REQUEST_ID, id);
        }
        let response = request.body(body).send().await.map_err(CallError::http)?;
        let status = response.status();
        let body = read_response(response).await?;
        let object = serde_json::from_slice(&body).map_err(|_| CallError::NotJson(status))?;
        Ok((status, object))
    }
}

impl CallError {
    fn http(error: reqwest::Error) -> Self {
        Self::Http(error.without_url())
    }

    /// What the failure says about the backend. If a firewall in front of it rejects the input of
    /// visitors, the circuit breaker must not open.
    fn verdict(&self) -> Verdict {
        match self {
            Self::NotJson(status) if status.is_client_error() => Verdict::Served,
            Self::Http(error) if error.is_connect() => Verdict::Unreachable,
            _ => Verdict::Failed,
        }
    }

    /// Logs the cause, which contains nothing about the visitor, and returns the error for the
    /// visitor.
    fn log(self) -> SignupError {
        let timed_out = match &self {
            Self::Http(error) => error.is_timeout(),
            Self::TimedOut => true,
            Self::TooLarge | Self::NotJson(_) | Self::Serialize => false,
        };
        let mut cause = self.to_string();
        let mut source = self.source();
        while let Some(error) = source {
            cause = format!("{cause}: {error}");
            source = error.source();
        }
        tracing::warn!(event = "signup_backend_unreachable", cause);
        let status = if timed_out {
            StatusCode::GATEWAY_TIMEOUT
        } else {
            StatusCode::BAD_GATEWAY
        };
        SignupError::Unreachable(status)
    }
}

async fn read_response(mut response: Response) -> Result<Vec<u8>, CallError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(CallError::http)? {
        if body.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return Err(CallError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The string under a key, if there is one.
fn string(object: &Map<String, Value>, key: &str) -> Option<String> {
    object.get(key)?.as_str().map(str::to_owned)
}
