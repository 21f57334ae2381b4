//! Traffic, errors and latency of the last day: one aggregate for each minute, section and track.
//! There are as many series as releases that visitors get; the bound of memory shortens the day.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_web::response::Track;

/// How many minutes are kept: one day.
pub const MAX_MINUTES: u64 = 24 * 60;

/// The maximum number of aggregates, of about 170 bytes each: those of 128 series in each minute of
/// a day. With more series, the oldest minutes are forgotten earlier.
const MAX_AGGREGATES: usize = 128 * 24 * 60;

/// The upper bounds of the latency histogram in milliseconds. One more bucket counts everything
/// above.
const BOUNDS: [f64; 20] = [
    0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 25.0, 40.0, 60.0, 100.0, 150.0, 250.0, 400.0, 600.0, 1000.0,
    2000.0, 5000.0, 10000.0,
];

/// The traffic of one gateway process. Memory is bounded by time and by the number of aggregates.
#[derive(Debug, Default)]
pub struct Traffic(Mutex<Minutes>);

#[derive(Debug, Default)]
struct Minutes {
    /// Oldest first.
    kept: VecDeque<Minute>,
    /// The number of aggregates in them.
    aggregates: usize,
    /// The first minute that is kept whole since [`MAX_AGGREGATES`] was reached; 0 before.
    first: u64,
}

#[derive(Debug)]
struct Minute {
    /// Minutes since the Unix epoch.
    number: u64,
    aggregates: BTreeMap<(String, Track), Aggregate>,
}

#[derive(Debug, Clone, Default)]
struct Aggregate {
    requests: u32,
    errors: u32,
    failures: u32,
    latency: [u32; BOUNDS.len() + 1],
}

/// The traffic of a section on one track.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficSeries {
    /// The section.
    pub section: String,
    /// The track: `live`, `candidate` or `other`.
    #[schema(pattern = "^(live|candidate|other)$")]
    pub track: &'static str,
    /// The points with traffic, oldest first.
    pub points: Vec<TrafficPoint>,
}

/// The traffic of one step.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficPoint {
    /// The first minute of the step, in minutes since the Unix epoch.
    #[schema(minimum = 0)]
    pub minute: u64,
    /// Requests for documents and page data.
    #[schema(minimum = 0)]
    pub requests: u64,
    /// How many of them the gateway failed to serve (status `5xx`).
    #[schema(minimum = 0)]
    pub errors: u64,
    /// Reports of browsers in which the section failed to load or render.
    #[schema(minimum = 0)]
    pub failures: u64,
    /// The median duration of the requests in milliseconds; null without requests.
    #[schema(required)]
    pub p50: Option<f64>,
    /// The 95th percentile of the duration in milliseconds; null without requests.
    #[schema(required)]
    pub p95: Option<f64>,
}

impl Traffic {
    /// Counts a request for a page of a section.
    pub fn record_request(&self, section: &str, track: Track, status: u16, duration: Duration) {
        self.record(section, track, |aggregate| {
            aggregate.requests = aggregate.requests.saturating_add(1);
            if status >= 500 {
                aggregate.errors = aggregate.errors.saturating_add(1);
            }
            let milliseconds = duration.as_secs_f64() * 1000.0;
            let bucket = BOUNDS.partition_point(|bound| *bound < milliseconds);
            aggregate.latency[bucket] = aggregate.latency[bucket].saturating_add(1);
        });
    }

    /// Counts a browser's report that a section failed.
    pub fn record_failure(&self, section: &str, track: Track) {
        self.record(section, track, |aggregate| {
            aggregate.failures = aggregate.failures.saturating_add(1);
        });
    }

    /// The traffic of the last `minutes`, in steps of `step` minutes.
    pub fn series(&self, minutes: u64, step: u64) -> Vec<TrafficSeries> {
        let first = current_minute().saturating_sub(minutes.saturating_sub(1));
        let mut steps: BTreeMap<(String, Track), BTreeMap<u64, Aggregate>> = BTreeMap::new();
        let minutes = self.0.lock();
        for minute in minutes.kept.iter().filter(|minute| minute.number >= first) {
            for (key, aggregate) in &minute.aggregates {
                let start = minute.number - minute.number % step.max(1);
                let points = steps.entry(key.clone()).or_default();
                points.entry(start).or_default().add(aggregate);
            }
        }
        let series = steps.into_iter().map(|((section, track), points)| TrafficSeries {
            section,
            track: track.name(),
            points: points
                .into_iter()
                .map(|(minute, sum)| sum.point(minute))
                .collect(),
        });
        series.collect()
    }

    /// The first minute that is known whole, in minutes since the Unix epoch; 0 if nothing was
    /// forgotten.
    pub fn first_minute(&self) -> u64 {
        self.0.lock().first
    }

    fn record(&self, section: &str, track: Track, change: impl FnOnce(&mut Aggregate)) {
        let mut minutes = self.0.lock();
        let key = (section.to_owned(), track);
        minutes.change(current_minute(), key, MAX_AGGREGATES, change);
    }
}

impl Minutes {
    /// Changes an aggregate of this minute, or of the newest after the clock was set back. Forgets
    /// what is older than a day, and the oldest minutes while there are more than `max` aggregates.
    fn change(&mut self, now: u64, key: (String, Track), max: usize, change: impl FnOnce(&mut Aggregate)) {
        if self.kept.back().is_none_or(|newest| newest.number < now) {
            self.kept.push_back(Minute {
                number: now,
                aggregates: BTreeMap::new(),
            });
        }
        let Some(newest) = self.kept.back_mut() else {
            return;
        };
        let before = newest.aggregates.len();
        change(newest.aggregates.entry(key).or_default());
        self.aggregates += newest.aggregates.len() - before;
        while self.kept.len() > 1
            && let Some(oldest) = self.kept.front()
        {
            let is_due = oldest.number + MAX_MINUTES <= now;
            if !is_due && self.aggregates <= max {
                break;
            }
            self.aggregates -= oldest.aggregates.len();
            self.kept.pop_front();
            if let Some(first) = self.kept.front().filter(|_| !is_due) {
                self.first = first.number;
            }
        }
    }
}

impl Aggregate {
    fn add(&mut self, other: &Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.errors = self.errors.saturating_add(other.errors);
        self.failures = self.failures.saturating_add(other.failures);
        for (sum, count) in self.latency.iter_mut().zip(other.latency) {
            *sum = sum.saturating_add(count);
        }
    }

    fn point(&self, minute: u64) -> TrafficPoint {
        TrafficPoint {
            minute,
            requests: self.requests.into(),
            errors: self.errors.into(),
            failures: self.failures.into(),
            p50: self.percentile(0.5),
            p95: self.percentile(0.95),
        }
    }

    /// A percentile of the latency: interpolated between the bounds of its bucket.
    fn percentile(&self, share: f64) -> Option<f64> {
        let total: u64 = self.latency.iter().copied().map(u64::from).sum();
        if total == 0 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let rank = total as f64 * share;
        let mut below = 0.0;
        let mut lower = 0.0;
        for (count, upper) in self.latency.into_iter().zip(BOUNDS) {
            let count = f64::from(count);
            if count > 0.0 && below + count >= rank {
                let exact = lower + (upper - lower) * (rank - below) / count;
                return Some((exact * 100.0).round() / 100.0);
            }
            (below, lower) = (below + count, upper);
        }
        Some(lower)
    }
}

/// Minutes since the Unix epoch.
pub fn current_minute() -> u64 {
    u64::try_from(colonnade_clock::now().as_second() / 60).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{MAX_MINUTES, Minutes, Traffic};
    use colonnade_web::response::Track;

    #[test]
    fn traffic_has_series_by_section_and_track() {
        let traffic = Traffic::default();
        for (track, status, milliseconds) in [
            (Track::Live, 200, 4),
            (Track::Live, 404, 4),
            (Track::Candidate, 503, 900),
        ] {
            traffic.record_request("hello", track, status, Duration::from_millis(milliseconds));
        }
        traffic.record_failure("hello", Track::Candidate);
        // One step, also if a minute ends between the calls.
        let series = traffic.series(10, 1_000_000);
        let [live, candidate] = &series[..] else {
            panic!("{series:?}");
        };
        let (live, candidate) = (&live.points[0], &candidate.points[0]);
        assert_eq!((live.requests, live.errors, live.failures), (2, 0, 0));
        assert_eq!((live.p50, live.p95), (Some(4.0), Some(4.9)));
        assert_eq!(
            (candidate.requests, candidate.errors, candidate.failures),
            (1, 1, 1)
        );
        assert_eq!(candidate.p50, Some(800.0));
    }

    #[test]
    fn oldest_minutes_are_forgotten_beyond_the_bound() {
        let mut minutes = Minutes::default();
        let mut count = |minute: u64, section: usize| {
            let key = (format!("section-{section}"), Track::Live);
            minutes.change(minute, key, 4, |aggregate| aggregate.requests += 1);
            let kept = minutes.kept.iter();
            let kept: Vec<_> = kept.map(|kept| (kept.number, kept.aggregates.len())).collect();
            (kept, minutes.first)
        };
        for section in 0..3 {
            count(1, section);
        }
        assert_eq!(count(2, 0), (vec![(1, 3), (2, 1)], 0));
        // All series of the newest minute are counted.
        let last = (1..300).map(|section| count(2, section)).last();
        assert_eq!(last, Some((vec![(2, 300)], 2)));
        assert_eq!(count(2 + MAX_MINUTES, 0), (vec![(2 + MAX_MINUTES, 1)], 2));
    }
}
