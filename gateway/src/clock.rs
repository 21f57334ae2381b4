//! The one place that reads the clock of the day. Durations are measured by tokio's clock, which tests can stop.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The present moment, to the second that has begun.
pub(crate) fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// The present day in UTC.
pub(crate) fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}
