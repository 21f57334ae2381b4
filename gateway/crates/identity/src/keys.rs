//! What an issuer publishes: its endpoints (OIDC Discovery 1.0) and its public keys
//! (RFC 7517).

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use colonnade_config::{check_encrypted, has_link_local_host};
use colonnade_upstream::outbound_client;
use jsonwebtoken::jwk::JwkSet;
use reqwest::{Client, RequestBuilder};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use crate::types::IdTokenProblem;

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum size of a response in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// After this time the keys are fetched again, so that a key that the issuer has withdrawn is not
/// accepted for long. They stay in use while the issuer cannot be reached.
const MAX_AGE: Duration = Duration::from_hours(1);

/// The minimum time between two fetches because of keys that are not known. Anyone can name one.
const MIN_INTERVAL: Duration = Duration::from_secs(30);

/// The minimum time between two fetches after one that failed.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// What an issuer publishes about itself.
#[derive(Deserialize)]
struct Published {
    issuer: String,
    jwks_uri: String,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
}

/// The endpoints and the keys of an issuer.
#[derive(Debug)]
pub(crate) struct Keys {
    pub(crate) set: JwkSet,
    pub(crate) authorization_endpoint: Option<Url>,
    pub(crate) token_endpoint: Option<Url>,
    fetched: Instant,
}

/// Fetches and caches the keys of an issuer.
#[derive(Debug)]
pub(crate) struct KeySource {
    issuer: String,
    current: ArcSwapOption<Keys>,
    /// Held during a fetch.
    last: Mutex<Last>,
}

/// The last fetches.
#[derive(Debug, Default)]
struct Last {
    /// The last one because of a key that was not known.
    refresh: Option<Instant>,
    /// The last one, if it failed.
    failure: Option<Instant>,
}

/// Why a request to an issuer fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("{}", chain(.0))]
    Http(#[from] reqwest::Error),
    #[error("the issuer is not a URL")]
    Issuer,
    #[error("the response from {0} has more than {MAX_BYTES} bytes")]
    TooLarge(Url),
    #[error("the response from {0} is invalid: {1}")]
    Invalid(Url, String),
}

impl KeySource {
    /// The keys of an issuer, which are fetched when they are needed.
    pub(crate) fn new(issuer: &str) -> Self {
        Self {
            issuer: issuer.to_owned(),
            current: ArcSwapOption::empty(),
            last: Mutex::default(),
        }
    }

    /// What `find` finds in the keys. If it finds nothing, they are fetched again, but not too often,
    /// and the problem is `missing`. `provider` is the provider's name.
    pub(crate) async fn find<T>(
        &self,
        provider: &str,
        missing: IdTokenProblem,
        find: impl Fn(&Keys) -> Option<T>,
    ) -> Result<T, IdTokenProblem> {
        let known = || self.current.load().as_ref().and_then(|keys| find(keys));
        if known().is_some() {
            self.refresh_if_old(provider).await;
            return known().ok_or(missing);
        }
        let mut last = self.last.lock().await;
        // Another request fetched them meanwhile.
        if let Some(found) = known() {
            return Ok(found);
        }
        let is_recent = |time: Option<Instant>, interval| time.is_some_and(|time| time.elapsed() < interval);
        let is_first = self.current.load().is_none();
        if !is_recent(last.failure, RETRY_INTERVAL) && (is_first || !is_recent(last.refresh, MIN_INTERVAL)) {
            if !is_first {
                last.refresh = Some(Instant::now());
            }
            self.fetch(provider, &mut last).await;
        }
        match known() {
            Some(found) => Ok(found),
            None if last.failure.is_some() => Err(IdTokenProblem::Unreachable(provider.to_owned())),
            None => Err(missing),
        }
    }

    /// Fetches the keys again if they are old. Of many requests one does; the others use the old keys.
    async fn refresh_if_old(&self, provider: &str) {
        let is_old = self
            .current
            .load()
            .as_ref()
            .is_some_and(|keys| keys.fetched.elapsed() > MAX_AGE);
        if is_old
            && let Ok(mut last) = self.last.try_lock()
            && last.failure.is_none_or(|time| time.elapsed() > RETRY_INTERVAL)
        {
            self.fetch(provider, &mut last).await;
        }
    }

    async fn fetch(&self, provider: &str, last: &mut Last) {
        match self.request().await {
            Ok(keys) => {
                last.failure = None;
                self.current.store(Some(Arc::new(keys)));
            }
            Err(error) => {
                last.failure = Some(Instant::now());
                tracing::error!(event = "identity_provider_failed", provider, error = %error);
            }
        }
    }

    async fn request(&self) -> Result<Keys, FetchError> {
        let text = format!(
            "{}/.well-known/openid-configuration",
            self.issuer.trim_end_matches('/')
        );
        let url: Url = text.parse().map_err(|_| FetchError::Issuer)?;
        let invalid = |wrong: &str| FetchError::Invalid(url.clone(), wrong.to_owned());
        let published: Published = request(&url, Client::get).await?;
        if published.issuer != self.issuer {
            return Err(invalid("`issuer` is another one"));
        }
        let endpoint = |text: String| {
            let wrong =
                "an endpoint is no URL with the scheme of the issuer, or has an address that is not allowed";
            endpoint(&url, &text).ok_or_else(|| invalid(wrong))
        };
        Ok(Keys {
            set: request(&endpoint(published.jwks_uri)?, Client::get).await?,
            authorization_endpoint: published.authorization_endpoint.map(endpoint).transpose()?,
            token_endpoint: published.token_endpoint.map(endpoint).transpose()?,
            fetched: Instant::now(),
        })
    }
}

/// Sends a request, and reads the JSON of its response.
pub(crate) async fn request<T: DeserializeOwned>(
    url: &Url,
    build: impl FnOnce(&Client, Url) -> RequestBuilder,
) -> Result<T, FetchError> {
    // Requests are rare. A new client finds new root certificates.
    let client = outbound_client(url).timeout(TIMEOUT).build()?;
    let request = build(&client, url.clone());
    let mut response = request.send().await?.error_for_status()?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_BYTES {
            return Err(FetchError::TooLarge(url.clone()));
        }
        body.extend_from_slice(&chunk);
    }
    // The error of the parser could quote a token.
    serde_json::from_slice(&body)
        .map_err(|error| FetchError::Invalid(url.clone(), format!("{:?}", error.classify())))
}

/// An endpoint of the issuer at a URL. Whoever can change the keys can sign tokens, and the token
/// endpoint gets secrets.
fn endpoint(issuer: &Url, text: &str) -> Option<Url> {
    let endpoint: Url = text.parse().ok()?;
    let is_safe = endpoint.scheme() == issuer.scheme() && check_encrypted(&endpoint).is_ok();
    (is_safe && !has_link_local_host(&endpoint)).then_some(endpoint)
}

/// An error with its causes.
fn chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::endpoint;

    #[test]
    fn endpoint_is_encrypted_or_on_this_machine() {
        let https = "https://login.example/realm";
        let http = "http://127.0.0.1:8080/realm";
        for (issuer, text, is_accepted) in [
            (https, "https://keys.example/jwks", true),
            (https, "http://127.0.0.1/jwks", false),
            (https, "https://169.254.169.254/jwks", false),
            (https, "/jwks", false),
            (http, "http://localhost:8081/jwks", true),
            (http, "http://keys.example/jwks", false),
            (http, "https://keys.example/jwks", false),
        ] {
            let issuer = issuer.parse().expect("a URL");
            assert_eq!(endpoint(&issuer, text).is_some(), is_accepted, "{issuer} {text}");
        }
    }
}
