//! The format of log events: a line of JSON, with the ID of the request that caused the event, and
//! with the number of such events that the rate limit left out before it.

use std::fmt;

use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent};
use tracing_subscriber::registry::LookupSpan;

use colonnade_web::request_scope;
use colonnade_web::response::RequestId;

use crate::log::Log;

/// The format of a log event.
pub(super) struct LogLine {
    json: Format<Json>,
    log: Log,
}

impl LogLine {
    /// The format of the events in this log.
    pub(super) fn new(log: Log) -> Self {
        let json = Format::default().json().flatten_event(true);
        let json = json.with_current_span(false).with_span_list(false);
        Self {
            json: json.with_target(false),
            log,
        }
    }
}

impl<S> FormatEvent<S, JsonFields> for LogLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    /// Writes nothing if the event is over the rate limit.
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some(suppressed) = self.log.limiter().try_acquire(event) else {
            return Ok(());
        };
        let mut line = String::new();
        self.json.format_event(context, Writer::new(&mut line), event)?;
        let fields = line.trim_end().strip_suffix('}').ok_or(fmt::Error)?;
        writer.write_str(fields)?;
        if suppressed > 0 {
            write!(writer, ",\"suppressed\":{suppressed}")?;
        }
        if let Some(RequestId(id)) = request_scope::current_id()
            && let Ok(id) = id.to_str()
        {
            // A request ID has no characters that JSON escapes.
            write!(writer, ",\"request_id\":\"{id}\"")?;
        }
        writeln!(writer, "}}")
    }
}
