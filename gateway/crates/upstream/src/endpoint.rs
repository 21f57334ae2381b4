//! The endpoints of an upstream: which one gets a request.
//!
//! A request goes to the available endpoint with the fewest requests in progress. An endpoint is
//! not available while it is ejected, after consecutive failed requests, or unhealthy, after failed
//! health checks. If none is available, all are tried: that costs nothing, and a wrong health check
//! must not take the upstream down.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use colonnade_clock::poll;
use colonnade_web::client::ClientKey;
use colonnade_web::response::PLACEHOLDER;
use http::header::HOST;
use http::uri::{Authority, InvalidUri, PathAndQuery};
use http::{HeaderValue, Request, Response, Uri};
use parking_lot::Mutex;
use tokio::time::Instant;
use url::Url;

use crate::circuit_breaker::Health;
use crate::client::{Client, SendError};
use crate::connection_body::ConnectionBody;
use crate::failure_window::{Caller, FailuresInARow, Verdict, share};
use crate::request_body::OutgoingBody;

/// The number of consecutive failed health checks after which an endpoint is unhealthy, or silent
/// if none was answered. One success makes it healthy again.
const UNHEALTHY_AFTER: u32 = 2;

/// When an endpoint is ejected, and for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EjectionLimits {
    /// The number of consecutive failures. One client counts for at most a quarter of them.
    pub(crate) failure_threshold: u32,
    /// How long it gets no requests. After that, one more failure ejects it again.
    pub(crate) duration: Duration,
}

/// The endpoints of an upstream.
#[derive(Debug)]
pub(crate) struct Endpoints {
    upstream: Arc<str>,
    limits: EjectionLimits,
    all: Vec<Arc<Endpoint>>,
}

/// One endpoint.
#[derive(Debug)]
pub(crate) struct Endpoint {
    authority: Authority,
    /// The value of `Host`.
    host: HeaderValue,
    client: Client,
    /// The path of the base URL, without a trailing slash.
    base_path: String,
    in_progress: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Consecutive failed requests.
    failures: FailuresInARow,
    ejected_until: Option<Instant>,
    /// Consecutive failed health checks.
    failed_checks: u32,
    /// How many of the last health checks in a row were not answered.
    unanswered_checks: u32,
    /// Whether a request was served since the endpoint became silent: only its checks are not
    /// answered.
    serves_nevertheless: bool,
}

/// Whether an endpoint gets requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Availability {
    Available,
    Ejected,
    Unhealthy,
}

/// The result of a health check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    /// The endpoint responds with 2xx.
    Passed,
    /// It responds with another status. It may no longer have the path.
    Refused,
    /// It cannot be connected to, closes the connection, or does not respond in time.
    Unanswered,
}

/// Counts a request in progress until it is dropped.
#[derive(Debug)]
pub(crate) struct EndpointPermit {
    pub(crate) endpoint: Arc<Endpoint>,
}

impl Endpoints {
    /// Creates the endpoints with these base URLs.
    pub(crate) fn new(
        upstream: Arc<str>,
        urls: &[Url],
        limits: EjectionLimits,
        client: impl Fn(Uri) -> Client,
    ) -> Self {
        let endpoints = urls.iter().filter_map(|url| Endpoint::new(url, &client));
        let endpoints = endpoints.map(Arc::new);
        Self {
            upstream,
            limits,
            all: endpoints.collect(),
        }
    }

    /// The name of their upstream.
    pub(crate) fn upstream(&self) -> &str {
        &self.upstream
    }

    /// All endpoints.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Endpoint>> {
        self.all.iter()
    }

    /// Picks the endpoint for a request. Avoids those that were tried already, as long as there are
    /// others.
    pub(crate) fn pick(&self, tried: &[Arc<Endpoint>]) -> Option<EndpointPermit> {
        let is_new = |endpoint: &&Arc<Endpoint>| !tried.iter().any(|other| Arc::ptr_eq(other, endpoint));
        let is_available =
            |endpoint: &&Arc<Endpoint>| endpoint.availability(poll::now) == Availability::Available;
        let endpoints = || self.all.iter();
        let picked = least_loaded(endpoints().filter(is_new).filter(is_available))
            .or_else(|| least_loaded(endpoints().filter(is_new)))
            .or_else(|| least_loaded(endpoints()))?;
        picked.in_progress.fetch_add(1, Ordering::Relaxed);
        Some(EndpointPermit {
            endpoint: Arc::clone(picked),
        })
    }

    /// Records what a request of this client says about an endpoint.
    pub(crate) fn record(&self, endpoint: &Endpoint, client: Option<ClientKey>, verdict: Verdict) {
        let upstream = &*self.upstream;
        let mut state = endpoint.state.lock();
        if verdict == Verdict::Served {
            let was_ejected = state.ejected_until.take().is_some();
            state.failures.clear();
            state.serves_nevertheless |= state.is_silent();
            drop(state);
            if was_ejected {
                let endpoint = endpoint.name();
                tracing::info!(event = "upstream_endpoint_restored", upstream, endpoint);
            }
            return;
        }
        let now = poll::now();
        let threshold = self.limits.failure_threshold;
        let counts = state.failures.add(Caller::new(client, verdict), share(threshold));
        let is_ejected = state.ejected_until.is_some_and(|until| now < until);
        if counts && state.failures.count() >= threshold && !is_ejected {
            state.ejected_until = Some(now + self.limits.duration);
            drop(state);
            let (endpoint, seconds) = (endpoint.name(), self.limits.duration.as_secs());
            tracing::warn!(event = "upstream_endpoint_ejected", upstream, endpoint, seconds);
        }
    }

    /// What the health checks of all endpoints say, if they have any. Until two have failed, they
    /// succeed.
    pub(crate) fn health(&self) -> Health {
        let all_are = |is: fn(&State) -> bool| self.all.iter().all(|endpoint| is(&endpoint.state.lock()));
        if !all_are(|state| !state.is_healthy()) {
            Health::Checked
        } else if all_are(|state| state.is_silent() && !state.serves_nevertheless) {
            Health::Silent
        } else {
            Health::Unknown
        }
    }

    /// Records the result of a health check.
    pub(crate) fn record_check(&self, endpoint: &Endpoint, check: Check) {
        let mut state = endpoint.state.lock();
        let was_healthy = state.is_healthy();
        state.failed_checks = match check {
            Check::Passed => 0,
            Check::Refused | Check::Unanswered => state.failed_checks.saturating_add(1),
        };
        if check == Check::Unanswered {
            state.unanswered_checks = state.unanswered_checks.saturating_add(1);
        } else {
            state.unanswered_checks = 0;
            state.serves_nevertheless = false;
        }
        let is_healthy = state.is_healthy();
        drop(state);
        let (upstream, endpoint) = (&*self.upstream, endpoint.name());
        match (was_healthy, is_healthy) {
            (true, false) => tracing::warn!(event = "upstream_endpoint_unhealthy", upstream, endpoint),
            (false, true) => tracing::info!(event = "upstream_endpoint_healthy", upstream, endpoint),
            _ => {}
        }
    }
}

impl State {
    fn is_healthy(&self) -> bool {
        self.failed_checks < UNHEALTHY_AFTER
    }

    /// Whether it does not answer its health checks.
    fn is_silent(&self) -> bool {
        self.unanswered_checks >= UNHEALTHY_AFTER
    }
}

impl Endpoint {
    fn new(url: &Url, client: impl Fn(Uri) -> Client) -> Option<Self> {
        let authority: Authority = url.authority().parse().ok()?;
        let uri = Uri::builder()
            .scheme(url.scheme())
            .authority(authority.clone())
            .path_and_query("/");
        let host = match (url.host_str()?, url.port()) {
            (host, Some(port)) => format!("{host}:{port}"),
            (host, None) => host.to_owned(),
        };
        // All are valid in a URL of the configuration.
        Some(Self {
            authority,
            host: host.try_into().ok()?,
            client: client(uri.build().ok()?),
            base_path: url.path().trim_end_matches('/').to_owned(),
            in_progress: AtomicUsize::new(0),
            state: Mutex::default(),
        })
    }

    /// Its host and port, for log events.
    pub(crate) fn name(&self) -> &str {
        self.authority.as_str()
    }

    /// Sends a request, which [`Self::address`] has addressed, over an idle connection, if it may
    /// use one, or a new one.
    pub(crate) fn send(
        &self,
        request: Request<OutgoingBody>,
        may_use_idle: bool,
    ) -> impl Future<Output = Result<Response<ConnectionBody>, SendError>> {
        self.client.send(request, may_use_idle)
    }

    /// Closes connections that are idle for too long. Never returns.
    pub(crate) async fn close_idle_connections(self: Arc<Self>) {
        self.client.pool().close_idle().await;
    }

    /// Addresses a request to the rest of a path, with an optional query.
    pub(crate) fn address<B>(&self, request: &mut Request<B>, rest: &str) -> Result<(), InvalidUri> {
        let target = match (self.base_path.as_str(), rest) {
            ("", "") => "/".to_owned(),
            ("", query) if query.starts_with('?') => format!("/{query}"),
            (base, rest) => [base, rest].concat(),
        };
        *request.uri_mut() = PathAndQuery::try_from(target)?.into();
        let host = request.headers_mut().entry(HOST).or_insert(PLACEHOLDER);
        // The configuration may let another `Host` pass.
        if host.is_empty() {
            *host = self.host.clone();
        }
        Ok(())
    }

    /// Whether it gets requests. The time is rarely needed.
    pub(crate) fn availability(&self, now: impl FnOnce() -> Instant) -> Availability {
        let state = self.state.lock();
        if !state.is_healthy() {
            Availability::Unhealthy
        } else if state.ejected_until.is_some_and(|until| now() < until) {
            Availability::Ejected
        } else {
            Availability::Available
        }
    }
}

impl Drop for EndpointPermit {
    fn drop(&mut self) {
        self.endpoint.in_progress.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The endpoint with the fewest requests in progress, at random among several.
fn least_loaded<'a>(endpoints: impl Iterator<Item = &'a Arc<Endpoint>>) -> Option<&'a Arc<Endpoint>> {
    let (mut chosen, mut least, mut ties) = (None, usize::MAX, 0_u32);
    for endpoint in endpoints {
        let load = endpoint.in_progress.load(Ordering::Relaxed);
        if load < least {
            (chosen, least, ties) = (Some(endpoint), load, 1);
        } else if load == least {
            ties += 1;
            // The n-th of several replaces the one before with a probability of 1/n.
            if rand::random_range(0..ties) == 0 {
                chosen = Some(endpoint);
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use colonnade_web::client::ClientKey;
    use serde_json::json;
    use tokio::time::Instant;

    use super::{Availability, Check, EjectionLimits, Endpoints};
    use crate::circuit_breaker::Health;
    use crate::client::{Client, tls_config};
    use crate::failure_window::Verdict;

    fn endpoints(urls: &[&str]) -> Endpoints {
        let settings = json!({ "path": "/api/test", "urls": urls });
        let settings: colonnade_config::Upstream = serde_json::from_value(settings).expect("settings");
        let tls = tls_config("test", &settings).expect("no certificates");
        let limits = EjectionLimits {
            failure_threshold: 8,
            duration: Duration::from_secs(30),
        };
        let client = |uri| Client::new(&settings, tls.clone(), uri);
        Endpoints::new("test".into(), &settings.urls, limits, client)
    }

    #[tokio::test(start_paused = true)]
    async fn endpoint_is_ejected_by_several_clients_only() {
        let endpoints = endpoints(&["http://localhost/"]);
        let endpoint = endpoints.iter().next().expect("an endpoint");
        let record = |client: u32, verdict| {
            let client = ClientKey::new(Ipv4Addr::from_bits(client).into());
            (0..8).for_each(|_| endpoints.record(endpoint, Some(client), verdict));
            endpoint.availability(Instant::now)
        };
        for client in 1..=3 {
            assert_eq!(record(client, Verdict::Failed), Availability::Available);
        }
        assert_eq!(record(4, Verdict::Failed), Availability::Ejected);
        tokio::time::advance(endpoints.limits.duration).await;
        assert_eq!(
            record(4, Verdict::Failed),
            Availability::Available,
            "its share is used up"
        );
        assert_eq!(record(5, Verdict::Failed), Availability::Ejected);
        assert_eq!(record(1, Verdict::Served), Availability::Available);
        assert_eq!(record(1, Verdict::Unreachable), Availability::Ejected);
    }

    #[test]
    fn endpoints_are_silent_if_none_answers_or_serves() {
        // What happens to each of two endpoints: checks that pass, are refused or are not answered,
        // and requests that are served.
        for (events, expected) in [
            (["", ""], Health::Checked),
            (["uu", "u"], Health::Checked),
            (["uu", "uu"], Health::Silent),
            (["puu", "psuus"], Health::Unknown),
            (["psuu", "rruu"], Health::Silent),
            (["uu", "rr"], Health::Unknown),
            (["uu", "ur"], Health::Unknown),
            (["uusuu", "uu"], Health::Unknown),
            (["uuspuu", "uu"], Health::Silent),
            (["uuup", "uu"], Health::Checked),
        ] {
            let endpoints = endpoints(&["http://localhost:1", "http://localhost:2"]);
            for (endpoint, events) in endpoints.iter().zip(events) {
                for event in events.chars() {
                    match event {
                        'p' => endpoints.record_check(endpoint, Check::Passed),
                        'r' => endpoints.record_check(endpoint, Check::Refused),
                        'u' => endpoints.record_check(endpoint, Check::Unanswered),
                        _ => endpoints.record(endpoint, None, Verdict::Served),
                    }
                }
            }
            assert_eq!(endpoints.health(), expected, "{events:?}");
        }
    }
}
