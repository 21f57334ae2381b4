//! Request metrics: counts by kind and status class, and durations; both by route if the operator
//! wants that.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use foldhash::HashMap;
use parking_lot::RwLock;
use prometheus_client::encoding::{EncodeLabel as _, EncodeLabelSet, LabelSetEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use colonnade_web::metrics::Labels;
use colonnade_web::register_metrics;
use colonnade_web::response::{RequestKind, Track};

/// The most routes with metrics of their own. Deployments define the routes of pages; requests
/// cannot add any.
const MAX_ROUTES: usize = 256;

/// The label of all further routes.
const OTHER: &str = "other";

/// Bucket bounds in seconds, from cached responses to responses that wait for a backend, a publish
/// or a log entry.
const SECONDS: [f64; 13] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0, 60.0,
];

/// The values of `code_class`. The last is for requests whose client closed the connection before
/// the response.
const CLASSES: [&str; 6] = ["1xx", "2xx", "3xx", "4xx", "5xx", "client_closed"];

/// The values of `track`.
const TRACKS: [Track; 3] = [Track::Live, Track::Candidate, Track::Other];

/// The kinds of requests that listeners serve.
pub const KINDS: [RequestKind; 6] = [
    RequestKind::Document,
    RequestKind::PageData,
    RequestKind::Asset,
    RequestKind::Upstream,
    RequestKind::Health,
    RequestKind::Other,
];

/// The request metrics of all listeners.
pub struct HttpMetrics {
    counts: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram, fn() -> Histogram>,
    tracks: Family<Labels<2>, Counter>,
    track_counts: [[Counter; CLASSES.len()]; TRACKS.len()],
}

/// The request metrics of one listener.
#[derive(Clone)]
pub struct ListenerRequestMetrics(Arc<Listener>);

struct Listener {
    name: &'static str,
    counts: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram, fn() -> Histogram>,
    tracks: [[Counter; CLASSES.len()]; TRACKS.len()],
    kinds: [Kind; KINDS.len()],
    is_by_route: bool,
}

/// The metrics of a kind: of all its requests, or of each route seen so far.
#[derive(Default)]
struct Kind {
    all: OnceLock<Counts>,
    routes: RwLock<HashMap<String, Arc<Counts>>>,
}

struct Counts {
    classes: [Counter; CLASSES.len()],
    seconds: Histogram,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    #[prometheus(flatten)]
    route: RouteLabels,
    code_class: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct RouteLabels {
    listener: &'static str,
    kind: &'static str,
    /// If metrics are by route.
    route: Option<String>,
}

impl EncodeLabelSet for RouteLabels {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        ("listener", self.listener).encode(encoder.encode_label())?;
        ("kind", self.kind).encode(encoder.encode_label())?;
        match &self.route {
            Some(route) => ("route", &**route).encode(encoder.encode_label()),
            None => Ok(()),
        }
    }
}

impl Default for HttpMetrics {
    fn default() -> Self {
        let tracks = Family::<Labels<2>, Counter>::default();
        Self {
            counts: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            track_counts: TRACKS.map(|track| {
                let track = track.name();
                CLASSES.map(|code_class| {
                    tracks.get_or_create_owned(&[("track", track), ("code_class", code_class)])
                })
            }),
            tracks,
        }
    }
}

impl HttpMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "http_requests": self.counts, "HTTP requests by kind and status class";
            "http_request_duration" in Seconds: self.seconds,
                "Request durations, until the last 32 KiB of the response were handed to the connection";
            "deployment_requests": self.tracks,
                "Requests for documents and page data, by the track of the deployment that served them";
        }
    }

    /// The metrics of one listener. Those of these kinds are exposed before the first request,
    /// unless there are some for each route.
    pub fn for_listener(
        &self,
        name: &'static str,
        kinds: &[RequestKind],
        is_by_route: bool,
    ) -> ListenerRequestMetrics {
        let listener = Listener {
            name,
            counts: self.counts.clone(),
            seconds: self.seconds.clone(),
            tracks: self.track_counts.clone(),
            kinds: Default::default(),
            is_by_route,
        };
        for kind in kinds.iter().filter(|_| !is_by_route) {
            listener.all(*kind);
        }
        ListenerRequestMetrics(Arc::new(listener))
    }
}

impl ListenerRequestMetrics {
    /// The listener's name.
    pub(super) fn listener(&self) -> &'static str {
        self.0.name
    }

    /// Counts one request. `track` is that of the deployment that served a document or page data.
    pub(super) fn record(
        &self,
        kind: RequestKind,
        route: &str,
        response: (u16, Duration),
        track: Option<Track>,
    ) {
        let (status, duration) = response;
        let class = class(status);
        if let Some(track) = track {
            self.0.tracks[position(&TRACKS, track)][class].inc();
        }
        if self.0.is_by_route {
            self.0.of_route(kind, route).record(class, duration);
        } else {
            self.0.all(kind).record(class, duration);
        }
    }
}

impl Listener {
    fn all(&self, kind: RequestKind) -> &Counts {
        let all = &self.kinds[position(&KINDS, kind)].all;
        all.get_or_init(|| self.counts(kind, None))
    }

    fn of_route(&self, kind: RequestKind, route: &str) -> Arc<Counts> {
        let routes = &self.kinds[position(&KINDS, kind)].routes;
        if let Some(known) = routes.read().get(route) {
            return Arc::clone(known);
        }
        let mut routes = routes.write();
        let route = if routes.len() < MAX_ROUTES { route } else { OTHER };
        let new = || Arc::new(self.counts(kind, Some(route)));
        Arc::clone(routes.entry(route.to_owned()).or_insert_with(new))
    }

    fn counts(&self, kind: RequestKind, route: Option<&str>) -> Counts {
        let route = RouteLabels {
            listener: self.name,
            kind: kind.name(),
            route: route.map(ToOwned::to_owned),
        };
        Counts {
            seconds: self.seconds.get_or_create_owned(&route),
            classes: CLASSES.map(|code_class| {
                let route = route.clone();
                self.counts
                    .get_or_create_owned(&RequestLabels { route, code_class })
            }),
        }
    }
}

impl Counts {
    fn record(&self, class: usize, duration: Duration) {
        self.classes[class].inc();
        self.seconds.observe(duration.as_secs_f64());
    }
}

/// The index of a value; that of the last one if it is not listed.
fn position<T: PartialEq + Copy>(values: &[T], value: T) -> usize {
    let found = values.iter().position(|listed| *listed == value);
    found.unwrap_or(values.len() - 1)
}

/// The index of a status in [`CLASSES`].
fn class(status: u16) -> usize {
    match status {
        ..200 => 0,
        200..300 => 1,
        300..400 => 2,
        499 => 5,
        400..500 => 3,
        500.. => 4,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use prometheus_client::encoding::text;
    use prometheus_client::registry::Registry;

    use super::{HttpMetrics, MAX_ROUTES, RequestKind};

    #[test]
    fn routes_above_limit_count_as_other() {
        let (requests, mut registry) = (HttpMetrics::default(), Registry::default());
        requests.register(&mut registry);
        let site = requests.for_listener("site", &[], true);
        for number in 0..2 * MAX_ROUTES {
            site.record(
                RequestKind::Document,
                &format!("/{number}"),
                (200, Duration::ZERO),
                None,
            );
        }
        let mut body = String::new();
        text::encode(&mut body, &registry).expect("metrics");
        let counted = body
            .lines()
            .filter(|line| line.starts_with("http_requests_total{") && line.contains("2xx"));
        assert_eq!(counted.count(), MAX_ROUTES + 1);
        let rest = format!(
            "http_requests_total{{listener=\"site\",kind=\"document\",route=\"other\",code_class=\"2xx\"}} {MAX_ROUTES}"
        );
        assert!(body.contains(&rest), "{rest}");
    }
}
