//! Lines of the log as messages of OTLP.

use jiff::Timestamp;
use opentelemetry::{KeyValue, Value};
use opentelemetry_proto::tonic::Attributes;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, SeverityNumber};
use serde_json::Map;

/// Reads a line. Its event is the name and the body of the record, and the other fields are its
/// attributes.
pub(super) fn log_record(line: &[u8]) -> Option<LogRecord> {
    let mut fields: Map<String, serde_json::Value> = serde_json::from_slice(line).ok()?;
    let mut text = |key| match fields.remove(key) {
        Some(serde_json::Value::String(text)) => text,
        _ => String::new(),
    };
    let (timestamp, level, event) = (text("timestamp"), text("level"), text("event"));
    let timestamp: Timestamp = timestamp.parse().ok()?;
    let time_unix_nano = timestamp.as_nanosecond().try_into().ok()?;
    let severity = match &*level {
        "ERROR" => SeverityNumber::Error,
        "WARN" => SeverityNumber::Warn,
        _ => SeverityNumber::Info,
    };
    let attributes = fields
        .into_iter()
        .map(|(key, value)| KeyValue::new(key, otlp_value(value)));
    Some(LogRecord {
        time_unix_nano,
        observed_time_unix_nano: time_unix_nano,
        severity_number: severity.into(),
        severity_text: level,
        body: Some(Value::from(event.clone()).into()),
        attributes: Attributes::from(attributes).0,
        event_name: event,
        ..LogRecord::default()
    })
}

fn otlp_value(value: serde_json::Value) -> Value {
    match value {
        serde_json::Value::Bool(value) => value.into(),
        serde_json::Value::String(value) => value.into(),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => integer.into(),
            (None, Some(float)) => float.into(),
            (None, None) => number.to_string().into(),
        },
        other => other.to_string().into(),
    }
}
