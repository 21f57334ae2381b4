//! The one place that reads the clock of the day. Durations are measured by tokio's clock, which tests can stop.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The present moment.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the module that others use instead"
)]
pub(crate) fn precise() -> Timestamp {
    Timestamp::now()
}

/// The present moment, to the second that has begun.
pub(crate) fn now() -> Timestamp {
    let now = precise();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// The present day in UTC.
pub(crate) fn today() -> Date {
    precise().to_zoned(TimeZone::UTC).date()
}
