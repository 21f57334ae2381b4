//! The clocks. Other crates get the wall clock here. They measure durations with tokio's clock,
//! which tests can pause. Code that runs in the task of a connection reads it through [`poll`].

pub mod poll;
#[cfg(feature = "testing")]
pub mod testing;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The current time.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the module that others use instead"
)]
pub fn precise() -> Timestamp {
    #[cfg(feature = "testing")]
    if let Some(now) = testing::now() {
        return now;
    }
    Timestamp::now()
}

/// The current time, rounded down to the second.
pub fn now() -> Timestamp {
    let now = precise();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// The current date in UTC.
pub fn today() -> Date {
    precise().to_zoned(TimeZone::UTC).date()
}
