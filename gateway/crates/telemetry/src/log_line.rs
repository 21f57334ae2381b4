//! The format of log events: a line of JSON, with the ID of the request that caused the event.

use std::fmt;

use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent};
use tracing_subscriber::registry::LookupSpan;

use colonnade_web::request_scope;
use colonnade_web::response::RequestId;

/// The format of a log event.
pub(super) struct LogLine(Format<Json>);

impl Default for LogLine {
    fn default() -> Self {
        let json = Format::default().json().flatten_event(true);
        Self(
            json.with_current_span(false)
                .with_span_list(false)
                .with_target(false),
        )
    }
}

impl<S> FormatEvent<S, JsonFields> for LogLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let id = request_scope::current();
        let Some(id) = id.as_ref().and_then(|RequestId(id)| id.to_str().ok()) else {
            return self.0.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        // A request ID has no characters that JSON escapes.
        let fields = line.trim_end().strip_suffix('}').ok_or(fmt::Error)?;
        writeln!(writer, "{fields},\"request_id\":\"{id}\"}}")
    }
}
