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
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use url::Url;

use crate::types::IdTokenProblem;

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum size of a response in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// How long keys are accepted after the request for them: a key that the issuer withdraws is not
/// accepted for longer.
const MAX_AGE: Duration = Duration::from_hours(1);

/// From this age on, keys that are used are fetched again in the background.
const REFRESH_AGE: Duration = Duration::from_mins(30);

/// How long a request waits for keys. A fetch that takes longer goes on for later requests.
const MAX_WAIT: Duration = Duration::from_secs(2);

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
    requested: Instant,
}

/// Fetches and caches the keys of an issuer.
#[derive(Debug)]
pub(crate) struct KeySource {
    issuer: String,
    current: ArcSwapOption<Keys>,
    /// Held during a fetch.
    last: Arc<Mutex<Last>>,
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
            last: Arc::default(),
        }
    }

    /// What `find` finds in the keys. If it finds nothing, they are fetched again, but not too often.
    /// `provider` is the provider's name.
    pub(crate) async fn find<T>(
        self: &Arc<Self>,
        provider: &str,
        find: impl Fn(&Keys) -> Result<T, IdTokenProblem>,
    ) -> Result<T, IdTokenProblem> {
        let known = || self.valid().map(|keys| find(&keys));
        if let Some(Ok(found)) = known() {
            self.refresh_if_old(provider);
            return Ok(found);
        }
        let fetch = self.fetch_unless(provider, || matches!(known(), Some(Ok(_))));
        let is_reachable = timeout(MAX_WAIT, fetch).await.unwrap_or(false);
        match known() {
            Some(Ok(found)) => Ok(found),
            Some(Err(missing)) if is_reachable => Err(missing),
            _ => Err(IdTokenProblem::Unreachable(provider.to_owned())),
        }
    }

    /// The keys, unless they are too old.
    fn valid(&self) -> Option<Arc<Keys>> {
        let keys = self.current.load_full();
        keys.filter(|keys| keys.requested.elapsed() <= MAX_AGE)
    }

    /// Fetches the keys in the background if they are old. Of many requests one does.
    fn refresh_if_old(self: &Arc<Self>, provider: &str) {
        let keys = self.current.load();
        let is_old = keys
            .as_ref()
            .is_some_and(|keys| keys.requested.elapsed() > REFRESH_AGE);
        if is_old
            && let Ok(last) = Arc::clone(&self.last).try_lock_owned()
            && !is_recent(last.failure, RETRY_INTERVAL)
        {
            self.spawn_fetch(provider, last);
        }
    }

    /// Fetches the keys, unless another request did so meanwhile or it is too early. Returns whether
    /// the last fetch succeeded.
    async fn fetch_unless(self: &Arc<Self>, provider: &str, is_known: impl Fn() -> bool) -> bool {
        let mut last = Arc::clone(&self.last).lock_owned().await;
        let is_refresh = self.valid().is_some();
        let is_early =
            is_recent(last.failure, RETRY_INTERVAL) || (is_refresh && is_recent(last.refresh, MIN_INTERVAL));
        if is_early || is_known() {
            return last.failure.is_none();
        }
        if is_refresh {
            last.refresh = Some(Instant::now());
        }
        self.spawn_fetch(provider, last).await.unwrap_or(false)
    }

    /// Fetches the keys in a task, because no request waits long for it. Returns whether it succeeded.
    fn spawn_fetch(self: &Arc<Self>, provider: &str, mut last: OwnedMutexGuard<Last>) -> JoinHandle<bool> {
        let (own, provider) = (Arc::clone(self), provider.to_owned());
        tokio::spawn(async move {
            let fetched = own.request().await;
            last.failure = fetched.is_err().then(Instant::now);
            match fetched {
                Ok(keys) => own.current.store(Some(Arc::new(keys))),
                Err(error) => tracing::error!(event = "identity_provider_failed", provider, error = %error),
            }
            last.failure.is_none()
        })
    }

    async fn request(&self) -> Result<Keys, FetchError> {
        let text = format!(
            "{}/.well-known/openid-configuration",
            self.issuer.trim_end_matches('/')
        );
        let url: Url = text.parse().map_err(|_| FetchError::Issuer)?;
        let requested = Instant::now();
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
            requested,
        })
    }
}

/// Whether something happened less than `interval` ago.
fn is_recent(time: Option<Instant>, interval: Duration) -> bool {
    time.is_some_and(|time| time.elapsed() < interval)
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
    use std::sync::Arc;

    use jsonwebtoken::jwk::JwkSet;
    use serde_json::json;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio::time::{Duration, Instant, advance, pause, resume, timeout};

    use super::{KeySource, Keys, MAX_AGE, MAX_WAIT, REFRESH_AGE, endpoint};
    use crate::types::IdTokenProblem;

    const SECOND: Duration = Duration::from_secs(1);

    /// A source with one key, which its issuer has withdrawn since, after `age`.
    async fn source_of(issuer: &str, age: Duration) -> Arc<KeySource> {
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let key = json!({ "kty": "EC", "crv": "P-256", "kid": "withdrawn", "x": "AA", "y": "AA" });
        let source = KeySource::new(issuer);
        source.current.store(Some(Arc::new(Keys {
            set: JwkSet {
                keys: vec![serde_json::from_value(key).unwrap()],
            },
            authorization_endpoint: None,
            token_endpoint: None,
            requested: Instant::now(),
        })));
        advance(age).await;
        Arc::new(source)
    }

    async fn find(source: &Arc<KeySource>) -> Result<(), IdTokenProblem> {
        let withdrawn = |keys: &Keys| keys.set.find("withdrawn").map(|_| ());
        let find = |keys: &Keys| withdrawn(keys).ok_or(IdTokenProblem::Key);
        source.find("ci", find).await
    }

    fn issuer_of(listener: &TcpListener) -> String {
        format!("http://{}", listener.local_addr().unwrap())
    }

    /// Serves an issuer without keys.
    async fn serve(listener: TcpListener) {
        let issuer = issuer_of(&listener);
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            let length = stream.read(&mut request).await.unwrap();
            let body = if request[..length].starts_with(b"GET /.well-known/") {
                json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/keys") })
            } else {
                json!({ "keys": [] })
            };
            let body = body.to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all((head + &body).as_bytes()).await.unwrap();
        }
    }

    #[tokio::test]
    async fn withdrawn_key_is_rejected_once_keys_are_too_old() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        pause();
        let source = source_of(&issuer_of(&listener), MAX_AGE + SECOND).await;
        resume();
        tokio::spawn(serve(listener));
        assert_eq!(find(&source).await, Err(IdTokenProblem::Key));
    }

    #[tokio::test]
    async fn old_keys_are_used_and_fetched_in_the_background() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        pause();
        let source = source_of(&issuer_of(&listener), REFRESH_AGE + SECOND).await;
        resume();
        assert_eq!(find(&source).await, Ok(()));
        tokio::spawn(serve(listener));
        // It is held during a fetch.
        drop(source.last.lock().await);
        assert_eq!(find(&source).await, Err(IdTokenProblem::Key));
    }

    #[tokio::test(start_paused = true)]
    async fn hanging_issuer_delays_no_request_for_long() {
        // Connections are accepted by the system only.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = issuer_of(&listener);
        let unreachable = Err(IdTokenProblem::Unreachable("ci".to_owned()));
        for (age, max_wait, expected) in [
            (REFRESH_AGE + SECOND, Duration::ZERO, Ok(())),
            (MAX_AGE + SECOND, MAX_WAIT + SECOND, unreachable),
        ] {
            let source = source_of(&issuer, age).await;
            assert_eq!(timeout(max_wait, find(&source)).await, Ok(expected));
            assert!(source.last.try_lock().is_err(), "the fetch goes on");
        }
    }

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
