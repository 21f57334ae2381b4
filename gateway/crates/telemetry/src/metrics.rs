//! Request metrics: counts by route and status class, and durations.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use foldhash::HashMap;
use parking_lot::RwLock;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use colonnade_web::metrics::Described;
use colonnade_web::response::Track;

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

/// The request metrics of all listeners.
pub struct HttpMetrics {
    counts: Family<Labels, Counter>,
    seconds: Family<RouteLabels, Histogram, fn() -> Histogram>,
    tracks: Family<TrackLabels, Counter>,
}

/// The request metrics of one listener.
#[derive(Clone)]
pub struct ListenerRequestMetrics {
    listener: &'static str,
    counts: Family<Labels, Counter>,
    seconds: Family<RouteLabels, Histogram, fn() -> Histogram>,
    tracks: Family<TrackLabels, Counter>,
    /// The metrics of each route seen so far.
    routes: Arc<RwLock<HashMap<String, Arc<RouteCounters>>>>,
}

struct RouteCounters {
    classes: [Counter; CLASSES.len()],
    seconds: Histogram,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    listener: &'static str,
    route: String,
    code_class: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TrackLabels {
    track: &'static str,
    code_class: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    listener: &'static str,
    route: String,
}

impl Default for HttpMetrics {
    fn default() -> Self {
        Self {
            counts: Family::default(),
            tracks: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
        }
    }
}

impl HttpMetrics {
    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "http_requests",
            "HTTP requests by route and status class",
            Described(self.counts.clone()),
        );
        registry.register_with_unit(
            "http_request_duration",
            "Request durations, until the last 32 KiB of the response were handed to the connection",
            Unit::Seconds,
            Described(self.seconds.clone()),
        );
        for track in [Track::Live, Track::Candidate, Track::Other].map(Track::name) {
            for code_class in CLASSES {
                drop(self.tracks.get_or_create(&TrackLabels { track, code_class }));
            }
        }
        registry.register(
            "deployment_requests",
            "Requests for documents and page data, by the track of the deployment that served them",
            self.tracks.clone(),
        );
    }

    /// The metrics of one listener. Those of its fixed routes are exposed before the first request.
    pub fn for_listener(
        &self,
        listener: &'static str,
        routes: impl IntoIterator<Item = Cow<'static, str>>,
    ) -> ListenerRequestMetrics {
        let metrics = ListenerRequestMetrics {
            listener,
            counts: self.counts.clone(),
            seconds: self.seconds.clone(),
            tracks: self.tracks.clone(),
            routes: Arc::default(),
        };
        for route in routes {
            metrics.insert(&route);
        }
        metrics
    }
}

impl ListenerRequestMetrics {
    /// The listener's name.
    pub(super) fn listener(&self) -> &'static str {
        self.listener
    }

    /// Counts one request.
    pub fn record(&self, route: &str, status: u16, duration: Duration, track: Option<Track>) {
        if let Some(track) = track.map(Track::name) {
            let code_class = CLASSES[class(status)];
            self.tracks
                .get_or_create(&TrackLabels { track, code_class })
                .inc();
        }
        let known = self.routes.read().get(route).cloned();
        let route = known.unwrap_or_else(|| self.insert(route));
        route.classes[class(status)].inc();
        route.seconds.observe(duration.as_secs_f64());
    }

    fn insert(&self, route: &str) -> Arc<RouteCounters> {
        let mut routes = self.routes.write();
        let route = if routes.len() < MAX_ROUTES { route } else { OTHER };
        let new = || {
            let (listener, route) = (self.listener, route.to_owned());
            let classes = CLASSES.map(|code_class| {
                let route = route.clone();
                self.counts.get_or_create_owned(&Labels {
                    listener,
                    route,
                    code_class,
                })
            });
            let seconds = self.seconds.get_or_create_owned(&RouteLabels { listener, route });
            Arc::new(RouteCounters { classes, seconds })
        };
        Arc::clone(routes.entry(route.to_owned()).or_insert_with(new))
    }
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

    use super::{HttpMetrics, MAX_ROUTES};

    #[test]
    fn routes_above_limit_count_as_other() {
        let (requests, mut registry) = (HttpMetrics::default(), Registry::default());
        requests.register(&mut registry);
        let site = requests.for_listener("site", []);
        for number in 0..2 * MAX_ROUTES {
            site.record(&format!("/{number}"), 200, Duration::ZERO, None);
        }
        let mut body = String::new();
        text::encode(&mut body, &registry).expect("metrics");
        let counted = body
            .lines()
            .filter(|line| line.starts_with("http_requests_total{") && line.contains("2xx"));
        assert_eq!(counted.count(), MAX_ROUTES + 1);
        let rest = format!(
            "http_requests_total{{listener=\"site\",route=\"other\",code_class=\"2xx\"}} {MAX_ROUTES}"
        );
        assert!(body.contains(&rest), "{rest}");
    }
}
