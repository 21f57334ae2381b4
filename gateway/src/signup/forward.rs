//! Sending a sign-up to the backend, and reading what it answers.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

use super::breaker::Breaker;
use super::fields::Fields;
use super::places::Places;
use super::{FAILED, SignupError};
use crate::config::{CurrentSignupLimits, Signup};
use crate::metrics::SignupMetrics;
use crate::reply::{REQUEST_ID, RequestId};

/// The most bytes read of the backend's answer.
const MAX_ANSWER: usize = 64 * 1024;

/// The most characters passed on of the backend's words.
const MAX_WORDS: usize = 500;

/// More bytes than what is sent has beside the texts: the names of its fields, and the age.
const NAMES: usize = 128;

/// The sign-up backend.
pub(crate) struct Backend {
    client: Client,
    url: Url,
    key: SecretString,
    affiliate_subid: String,
    total_timeout: Duration,
    limits: CurrentSignupLimits,
    /// One for each sign-up that waits.
    places: Places,
    breaker: Breaker,
}

/// The client for the backend cannot be made: the system's certificates cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the sign-up backend cannot be called over TLS: {0}")]
pub(crate) struct BackendError(reqwest::Error);

/// What is sent.
#[derive(Serialize)]
struct Forwarded<'a> {
    email: &'a str,
    password: &'a str,
    age: u64,
    affiliate_subid: &'a str,
}

/// Why there is no answer that could be passed on.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Http(reqwest::Error),
    #[error("no whole answer in time")]
    Late,
    #[error("more than {MAX_ANSWER} bytes")]
    TooLong,
    #[error("status {0} without a JSON object")]
    NotJson(StatusCode),
    #[error("the request could not be written")]
    Unwritten,
}

impl Backend {
    /// The backend this configuration names, asked within these limits.
    pub(crate) fn new(
        signup: &Signup,
        limits: &CurrentSignupLimits,
        metrics: &SignupMetrics,
    ) -> Result<Self, BackendError> {
        let mut client = Client::builder()
            .user_agent(concat!("colonnade-gateway/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .redirect(Policy::none())
            // Once bytes were sent a sign-up may have happened, so it is never sent again. A connection kept for the
            // next one may be closed just then, which looks like a backend that is gone; so it is kept for less time
            // than the backend leaves it open.
            .retry(reqwest::retry::never())
            .pool_max_idle_per_host(if signup.keep.is_zero() { 0 } else { usize::MAX })
            .pool_idle_timeout(signup.keep)
            .connect_timeout(signup.connect_timeout);
        if signup.backend.scheme() == "http" {
            // No TLS, no certificates: a machine that has none can still run a backend beside the gateway.
            client = client.tls_certs_only([]);
        }
        let mut url = signup.backend.url().clone();
        url.set_path("/functions/v1/signup");
        Ok(Self {
            client: client.build().map_err(BackendError)?,
            url,
            key: signup.key.clone(),
            affiliate_subid: signup.affiliate_subid.clone(),
            total_timeout: signup.total_timeout,
            limits: Arc::clone(limits),
            places: Places::default(),
            breaker: Breaker::new(Arc::clone(limits), metrics.clone()),
        })
    }

    /// Sends a sign-up. The answer is where the backend would lead the visitor, if it says so.
    pub(super) async fn send(
        &self,
        fields: &Fields,
        id: Option<&RequestId>,
    ) -> Result<Option<String>, SignupError> {
        // Held until the last byte of the backend's answer was read. Nobody queues: who waits is holding a form.
        let concurrent = self.limits.load().concurrent;
        let _place = self.places.take(concurrent).ok_or(SignupError::Busy)?;
        let pass = self.breaker.ask().map_err(SignupError::Resting)?;
        let exchange = tokio::time::timeout(self.total_timeout, self.exchange(fields, id)).await;
        let exchange = exchange.unwrap_or(Err(Failure::Late));
        pass.reached(exchange.as_ref().map_or_else(Failure::is_answer, |_| true));
        let (status, answer) = exchange.map_err(Failure::report)?;
        if status.is_success() {
            return Ok(text(&answer, "redirectUrl"));
        }
        let words = text(&answer, "error").filter(|words| !words.trim().is_empty());
        let words = words.map_or_else(
            || FAILED.to_owned(),
            |words| words.chars().take(MAX_WORDS).collect(),
        );
        let is_error = status.is_client_error() || status.is_server_error();
        // A redirect, say, is not followed, and its status would mean something else to the browser.
        let status = if is_error { status } else { StatusCode::BAD_GATEWAY };
        Err(SignupError::Refused { status, words })
    }

    async fn exchange(
        &self,
        fields: &Fields,
        id: Option<&RequestId>,
    ) -> Result<(StatusCode, Map<String, Value>), Failure> {
        let body = Forwarded {
            email: fields.email.expose_secret(),
            password: fields.password.expose_secret(),
            age: fields.age,
            affiliate_subid: &self.affiliate_subid,
        };
        let body = body.written()?;
        let mut request = self
            .client
            .post(self.url.clone())
            .bearer_auth(self.key.expose_secret())
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(RequestId(id)) = id {
            request = request.header(REQUEST_ID, id);
        }
        let response = request.body(body).send().await.map_err(Failure::http)?;
        let status = response.status();
        let answer = read(response).await?;
        let object = serde_json::from_slice(&answer).map_err(|_| Failure::NotJson(status))?;
        Ok((status, object))
    }
}

impl Forwarded<'_> {
    /// The body of the request, overwritten when the last of its bytes is on its way.
    fn written(&self) -> Result<Bytes, Failure> {
        // A character may take six times its bytes, and growing would leave a copy behind.
        let texts = self.email.len() + self.password.len() + self.affiliate_subid.len();
        let mut body = Zeroizing::new(Vec::with_capacity(6 * texts + NAMES));
        serde_json::to_writer(&mut *body, self).map_err(|_| Failure::Unwritten)?;
        Ok(Bytes::from_owner(body))
    }
}

impl Failure {
    fn http(error: reqwest::Error) -> Self {
        Self::Http(error.without_url())
    }

    /// Whether the backend, or what stands before it, is there and only refuses this sign-up. One visitor's odd input
    /// that a firewall takes offence at must not end sign-up for all others.
    fn is_answer(&self) -> bool {
        matches!(self, Self::NotJson(status) if status.is_client_error())
    }

    /// Logs the cause, which holds nothing of the visitor, and says that sign-up is out of reach.
    fn report(self) -> SignupError {
        let timed_out = match &self {
            Self::Http(error) => error.is_timeout(),
            Self::Late => true,
            Self::TooLong | Self::NotJson(_) | Self::Unwritten => false,
        };
        let mut cause = self.to_string();
        let mut source = self.source();
        while let Some(error) = source {
            cause = format!("{cause}: {error}");
            source = error.source();
        }
        tracing::warn!(event = "signup_unreachable", cause);
        let status = if timed_out {
            StatusCode::GATEWAY_TIMEOUT
        } else {
            StatusCode::BAD_GATEWAY
        };
        SignupError::Unreachable(status)
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, Failure> {
    let mut answer = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(Failure::http)? {
        if answer.len() + chunk.len() > MAX_ANSWER {
            return Err(Failure::TooLong);
        }
        answer.extend_from_slice(&chunk);
    }
    Ok(answer)
}

fn text(answer: &Map<String, Value>, key: &str) -> Option<String> {
    answer.get(key)?.as_str().map(str::to_owned)
}
