//! Requests: by route and class of status, and how long they took.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::Described;

/// The most routes that are told apart. Those of pages are the patterns of whatever is deployed; nobody else makes any.
const MAX_ROUTES: usize = 256;

/// What a route is called once there are so many.
const OTHER: &str = "other";

/// Upper bounds in seconds: what is in memory takes less than a millisecond, what waits for the backend up to its deadline.
const SECONDS: [f64; 11] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0,
];

/// The classes of statuses. The last is of requests whose client left before there was an answer.
const CLASSES: [&str; 6] = ["1xx", "2xx", "3xx", "4xx", "5xx", "left"];

/// Requests of all listeners.
pub(super) struct Requests {
    counts: Family<Labels, Counter>,
    seconds: Family<OfRoute, Histogram, fn() -> Histogram>,
    shed: Family<Cause, Counter>,
}

/// Requests of one listener.
#[derive(Clone)]
pub(crate) struct RequestMetrics {
    listener: &'static str,
    counts: Family<Labels, Counter>,
    seconds: Family<OfRoute, Histogram, fn() -> Histogram>,
    /// What was looked up once.
    routes: Arc<RwLock<HashMap<String, Arc<Route>>>>,
}

/// Requests that were shed.
#[derive(Clone)]
pub(crate) struct ShedMetrics(Family<Cause, Counter>);

struct Route {
    classes: [Counter; CLASSES.len()],
    seconds: Histogram,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    listener: &'static str,
    route: String,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRoute {
    listener: &'static str,
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Cause {
    cause: &'static str,
}

impl Default for Requests {
    fn default() -> Self {
        Self {
            counts: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            shed: Family::default(),
        }
    }
}

impl Requests {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "requests",
            "Requests, by route and class of status",
            Described(self.counts.clone()),
        );
        registry.register_with_unit(
            "request_duration",
            "How long requests took, until the last 32 KiB of their answer were on their way",
            Unit::Seconds,
            Described(self.seconds.clone()),
        );
        registry.register(
            "requests_shed",
            "Requests turned away because as many were being answered as may be, in all or of one client",
            Described(self.shed.clone()),
        );
    }

    pub(super) fn of(&self, listener: &'static str) -> RequestMetrics {
        RequestMetrics {
            listener,
            counts: self.counts.clone(),
            seconds: self.seconds.clone(),
            routes: Arc::default(),
        }
    }

    pub(super) fn shed(&self) -> ShedMetrics {
        ShedMetrics(self.shed.clone())
    }
}

impl RequestMetrics {
    /// A request of this route was answered with this status.
    pub(crate) fn answered(&self, route: &str, status: u16, duration: Duration) {
        let known = self.routes.read().get(route).cloned();
        let route = known.unwrap_or_else(|| self.note(route));
        route.classes[class(status)].inc();
        route.seconds.observe(duration.as_secs_f64());
    }

    fn note(&self, route: &str) -> Arc<Route> {
        let mut routes = self.routes.write();
        let route = if routes.len() < MAX_ROUTES { route } else { OTHER };
        let new = || {
            let (listener, route) = (self.listener, route.to_owned());
            let classes = CLASSES.map(|status| {
                let route = route.clone();
                self.counts.get_or_create_owned(&Labels {
                    listener,
                    route,
                    status,
                })
            });
            let seconds = self.seconds.get_or_create_owned(&OfRoute { listener, route });
            Arc::new(Route { classes, seconds })
        };
        Arc::clone(routes.entry(route.to_owned()).or_insert_with(new))
    }
}

impl ShedMetrics {
    /// One was, because of all that are being answered.
    pub(crate) fn of_all(&self) {
        self.0.get_or_create(&Cause { cause: "all" }).inc();
    }

    /// One was, because of its client's own.
    pub(crate) fn of_client(&self) {
        self.0.get_or_create(&Cause { cause: "client" }).inc();
    }
}

/// The place of a status in [`CLASSES`].
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

    use super::{MAX_ROUTES, Requests};

    #[test]
    fn there_are_only_so_many_routes() {
        let (requests, mut registry) = (Requests::default(), Registry::default());
        requests.register(&mut registry);
        let site = requests.of("site");
        for number in 0..2 * MAX_ROUTES {
            site.answered(&format!("/{number}"), 200, Duration::ZERO);
        }
        let mut body = String::new();
        text::encode(&mut body, &registry).expect("written");
        let counted = body
            .lines()
            .filter(|line| line.starts_with("requests_total{") && line.contains("2xx"));
        assert_eq!(counted.count(), MAX_ROUTES + 1);
        let rest = format!("requests_total{{listener=\"site\",route=\"other\",status=\"2xx\"}} {MAX_ROUTES}");
        assert!(body.contains(&rest), "{rest}");
    }
}
