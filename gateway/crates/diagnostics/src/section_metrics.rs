//! The metrics of each section: requests, errors and durations, so that a team can alert on its own
//! section.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use foldhash::HashMap;
use prometheus_client::encoding::{EncodeLabel as _, EncodeLabelSet, LabelSetEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use colonnade_web::register_metrics;
use colonnade_web::response::{RequestKind, Track};

/// Bucket bounds in seconds, from cached pages to pages that wait for their queries. Each bound is a
/// series of each section.
const SECONDS: [f64; 7] = [0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5];

/// What is counted of a section.
const KINDS: [RequestKind; 5] = [
    RequestKind::Document,
    RequestKind::PageData,
    RequestKind::Asset,
    RequestKind::Render,
    RequestKind::Query,
];

/// Those whose deployment is known. Only these have durations, and during a rollout the label `track`
/// of requests and errors: durations of each track would be 40 series of each rollout.
const PAGES: [RequestKind; 2] = [RequestKind::Document, RequestKind::PageData];

/// The metrics of all sections that visitors get.
#[derive(Debug, Clone, Default)]
pub struct SectionMetrics(Arc<Families>);

#[derive(Debug)]
struct Families {
    requests: Family<Labels, Counter>,
    errors: Family<Labels, Counter>,
    seconds: Family<Labels, Histogram, fn() -> Histogram>,
    /// The metrics of each section, so that a request looks up one name.
    sections: ArcSwap<Sections>,
}

type Sections = HashMap<String, Vec<Counts>>;

/// The metrics with the same labels.
#[derive(Debug)]
struct Counts {
    labels: Labels,
    requests: Counter,
    errors: Counter,
    seconds: Option<Histogram>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Labels {
    section: String,
    kind: &'static str,
    /// The side of the section's rollout.
    track: Option<&'static str>,
}

/// A request for a section, or work for one.
#[derive(Debug, Clone, Copy)]
pub struct SectionRequest {
    /// What it is for.
    pub kind: RequestKind,
    /// The side of the section's rollout; `None` without one.
    pub side: Option<Track>,
    /// Whether the gateway or the section failed.
    pub is_error: bool,
    /// How long it took. Counts only for documents and page data.
    pub duration: Duration,
}

impl SectionRequest {
    /// Work in the background: its duration does not count.
    pub fn of_work(kind: RequestKind, is_error: bool) -> Self {
        Self {
            kind,
            side: None,
            is_error,
            duration: Duration::ZERO,
        }
    }
}

impl EncodeLabelSet for Labels {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        ("section", &*self.section).encode(encoder.encode_label())?;
        ("kind", self.kind).encode(encoder.encode_label())?;
        match self.track {
            Some(track) => ("track", track).encode(encoder.encode_label()),
            None => Ok(()),
        }
    }
}

impl Default for Families {
    fn default() -> Self {
        Self {
            requests: Family::default(),
            errors: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            sections: ArcSwap::default(),
        }
    }
}

impl SectionMetrics {
    /// Adds the metrics to the registry.
    pub fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "section_requests": self.0.requests, "Requests for a section, its renders and its queries";
            "section_errors": self.0.errors,
                "Those that the gateway, the section or an upstream failed to answer";
            "section_request_duration" in Seconds: self.0.seconds,
                "Durations of requests for documents and page data of a section";
        }
    }

    /// Exposes the metrics of exactly these sections, with the label `track` for those that a
    /// rollout changes.
    pub fn expose<'a>(&self, names: impl Iterator<Item = &'a str>, changed: &BTreeSet<&str>) {
        let sections: Sections = names
            .map(|name| (name.to_owned(), self.0.section(name, changed.contains(name))))
            .collect();
        let before = self.0.sections.swap(Arc::new(sections));
        let now = self.0.sections.load();
        for Counts { labels, .. } in before.values().flatten() {
            let kept = now.get(&labels.section);
            if !kept.is_some_and(|kept| kept.iter().any(|counts| counts.labels == *labels)) {
                self.0.requests.remove(labels);
                self.0.errors.remove(labels);
                self.0.seconds.remove(labels);
            }
        }
    }

    /// Counts a request. Sections that only previews show are not counted.
    pub fn count(&self, section: &str, request: SectionRequest) {
        let sections = self.0.sections.load();
        let Some(section) = sections.get(section) else {
            return;
        };
        let (kind, track) = (request.kind.name(), request.side.map(Track::name));
        let find = |track| {
            let mut counts = section.iter();
            counts.find(|counts| counts.labels.kind == kind && counts.labels.track == track)
        };
        // The rollout may have ended meanwhile.
        let Some(counts) = find(track).or_else(|| find(None)) else {
            return;
        };
        counts.requests.inc();
        if request.is_error {
            counts.errors.inc();
        }
        if let Some(seconds) = &counts.seconds {
            seconds.observe(request.duration.as_secs_f64());
        }
    }
}

impl Families {
    fn section(&self, name: &str, is_changed: bool) -> Vec<Counts> {
        let usual = KINDS.map(|kind| (kind, None)).into_iter();
        let sides = [Track::Live, Track::Candidate].into_iter();
        let sides = sides.flat_map(|side| PAGES.map(|kind| (kind, Some(side.name()))));
        let counted = usual.chain(sides.filter(|_| is_changed));
        counted
            .map(|(kind, track)| {
                let labels = Labels {
                    section: name.to_owned(),
                    kind: kind.name(),
                    track,
                };
                Counts {
                    requests: self.requests.get_or_create_owned(&labels),
                    errors: self.errors.get_or_create_owned(&labels),
                    seconds: PAGES.contains(&kind).then(|| {
                        let whole = Labels {
                            track: None,
                            ..labels.clone()
                        };
                        self.seconds.get_or_create_owned(&whole)
                    }),
                    labels,
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use prometheus_client::encoding::text;
    use prometheus_client::registry::Registry;

    use super::{RequestKind, SectionMetrics, SectionRequest, Track};

    fn request(kind: RequestKind, side: Option<Track>) -> SectionRequest {
        SectionRequest {
            kind,
            side,
            is_error: true,
            duration: Duration::from_millis(10),
        }
    }

    fn lines(registry: &Registry) -> Vec<String> {
        let mut body = String::new();
        text::encode(&mut body, registry).expect("metrics");
        body.lines().map(ToOwned::to_owned).collect()
    }

    #[test]
    fn track_is_exposed_only_during_rollout() {
        let (metrics, mut registry) = (SectionMetrics::default(), Registry::default());
        metrics.register(&mut registry);
        metrics.expose(["a", "b"].into_iter(), &BTreeSet::from(["a"]));
        metrics.count("a", request(RequestKind::Document, Some(Track::Candidate)));
        let during = lines(&registry);
        let of = |labels: &str, value: u32| format!("section_errors_total{{{labels}}} {value}");
        let candidate = "section=\"a\",kind=\"document\",track=\"candidate\"";
        assert!(during.contains(&of(candidate, 1)), "{during:?}");
        let durations: Vec<&String> = during
            .iter()
            .filter(|line| {
                line.starts_with("section_request_duration_seconds_count{section=\"a\",kind=\"document\"")
            })
            .collect();
        assert!(
            matches!(&durations[..], [one] if one.ends_with(" 1")),
            "{durations:?}"
        );
        assert!(
            during.contains(&of("section=\"b\",kind=\"query\"", 0)),
            "{during:?}"
        );
        metrics.expose(["a"].into_iter(), &BTreeSet::new());
        // A request that started during the rollout.
        metrics.count("a", request(RequestKind::Document, Some(Track::Candidate)));
        let after = lines(&registry);
        assert!(
            after.contains(&of("section=\"a\",kind=\"document\"", 1)),
            "{after:?}"
        );
        let gone = ["track=", "section=\"b\""];
        assert!(
            !after
                .iter()
                .any(|line| gone.iter().any(|text| line.contains(text)))
        );
    }

    #[test]
    fn section_that_visitors_do_not_get_is_not_counted() {
        let (metrics, mut registry) = (SectionMetrics::default(), Registry::default());
        metrics.register(&mut registry);
        metrics.count("preview", request(RequestKind::Document, None));
        assert!(!lines(&registry).iter().any(|line| line.contains("preview")));
    }
}
