//! `[telemetry]`: what is told of requests besides what is always told.

use super::Origin;
use super::reader::{Read, Table, count, text, truth};
use super::url::{ORIGIN, origin};

/// What is told of requests.
#[derive(Debug)]
pub(crate) struct Telemetry {
    /// Whether events name the visitor's address.
    pub(crate) addresses: bool,
    /// Who collects traces, if anybody.
    #[cfg_attr(not(feature = "otlp"), expect(dead_code, reason = "it is none"))]
    pub(crate) collector: Option<Origin>,
    /// How many of 100 requests are traced, where no proxy has decided.
    pub(crate) trace_percent: u8,
}

impl Default for Telemetry {
    fn default() -> Self {
        Self {
            addresses: false,
            collector: None,
            trace_percent: 100,
        }
    }
}

/// Reads `[telemetry]`, in which every key is optional.
pub(super) fn read(mut table: Table<'_>) -> Option<Telemetry> {
    let addresses = table.optional("addresses", "true or false", truth);
    let collector = table.optional("collector", ORIGIN, |value| {
        let collector = origin(&text(value)?)?;
        if cfg!(feature = "otlp") {
            Ok(collector)
        } else {
            Err("cannot be used: this gateway was built without the feature `otlp`".to_owned())
        }
    });
    let percent = table.optional("trace_percent", "a whole number from 1 to 100", |value| {
        percent(count(value)?)
    });
    table.finish();
    let default = Telemetry::default();
    Some(Telemetry {
        addresses: addresses?.unwrap_or(default.addresses),
        collector: collector?,
        trace_percent: percent?.unwrap_or(default.trace_percent),
    })
}

fn percent(number: u64) -> Read<u8> {
    u8::try_from(number)
        .ok()
        .filter(|percent| *percent <= 100)
        .ok_or(format!("is {number}"))
}
