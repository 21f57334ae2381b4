//! What a collector of OTLP gets: traces, metrics and the log.

use std::fmt::Debug;
use std::net::Ipv4Addr;

use jiff::Timestamp;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{HistogramDataPoint, NumberDataPoint, number_data_point};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::json;

use crate::support::secrets::{
    SECRETS, VARIABLES, assert_no_secrets, configuration, signup_requests, use_admin_api,
};
use crate::support::{
    Backend, CLOSED_ORIGIN, FaultyMachine, Gateway, Protocol, Received, Reply, Request, Setup, Upstream,
    deploy_with_queries, upstream_table, wait_until,
};

const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

const ALL_SIGNALS: &str = "otlp_signals = [\"traces\", \"metrics\", \"logs\"]\n";

/// Both protocols, with their names in the configuration.
const PROTOCOLS: [(Protocol, &str); 2] = [(Protocol::Http1, "http"), (Protocol::Grpc, "grpc")];

/// All that a collector got.
struct Exports {
    protocol: Protocol,
    received: Vec<Received>,
}

impl Exports {
    /// The messages that were sent to a path over HTTP, or to a service over gRPC. Each one names the resource.
    fn messages<M: Message + Default + Debug>(&self, path: &str, service: &str) -> Vec<M> {
        let path = match self.protocol {
            Protocol::Http1 => path.to_owned(),
            Protocol::Grpc => format!("/opentelemetry.proto.collector.{service}/Export"),
        };
        let requests = self.received.iter();
        let requests = requests.filter(|request| request.target.ends_with(&path));
        let messages: Vec<M> = requests.map(|request| self.message(request)).collect();
        assert!(!messages.is_empty(), "{path}: {:?}", self.received);
        for message in &messages {
            let text = format!("{message:?}");
            for wanted in ["colonnade-gateway", "service.version", "gw-7", "edge"] {
                assert!(text.contains(&format!("{wanted:?}")), "{wanted}: {text}");
            }
        }
        messages
    }

    fn message<M: Message + Default>(&self, request: &Received) -> M {
        assert_eq!(request.method, "POST");
        assert_eq!(request.values("x-api-key"), ["50%25key"]);
        let (content_type, message) = match self.protocol {
            Protocol::Http1 => ("application/x-protobuf", &*request.body),
            Protocol::Grpc => {
                let (prefix, message) = request.body.split_at(5);
                let length = u32::try_from(message.len()).unwrap().to_be_bytes();
                assert_eq!(prefix, [&[0], &length[..]].concat());
                assert_eq!(request.values("te"), ["trailers"]);
                ("application/grpc", message)
            }
        };
        assert_eq!(request.values("content-type"), [content_type]);
        M::decode(message).unwrap()
    }

    fn spans(&self) -> Vec<Span> {
        let messages = self.messages::<ExportTraceServiceRequest>("/v1/traces", "trace.v1.TraceService");
        let resources = messages.into_iter().flat_map(|message| message.resource_spans);
        let scopes = resources.flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }

    fn log_records(&self) -> Vec<LogRecord> {
        let messages = self.messages::<ExportLogsServiceRequest>("/v1/logs", "logs.v1.LogsService");
        let resources = messages.into_iter().flat_map(|message| message.resource_logs);
        let scopes = resources.flat_map(|resource| resource.scope_logs);
        scopes.flat_map(|scope| scope.log_records).collect()
    }

    /// The data points of a counter and of a histogram.
    fn data_points(&self, counter: &str, histogram: &str) -> (Vec<NumberDataPoint>, Vec<HistogramDataPoint>) {
        let messages =
            self.messages::<ExportMetricsServiceRequest>("/v1/metrics", "metrics.v1.MetricsService");
        let resources = messages.into_iter().flat_map(|message| message.resource_metrics);
        let scopes = resources.flat_map(|resource| resource.scope_metrics);
        let (mut numbers, mut histograms) = (Vec::new(), Vec::new());
        for metric in scopes.flat_map(|scope| scope.metrics) {
            match metric.data.unwrap() {
                Data::Sum(sum) if metric.name == counter => numbers.extend(sum.data_points),
                Data::Histogram(data) if metric.name == histogram => {
                    assert_eq!(metric.unit, "s");
                    histograms.extend(data.data_points);
                }
                _ => {}
            }
        }
        (numbers, histograms)
    }
}

/// An attribute as JSON.
fn attribute(attributes: &[KeyValue], key: &str) -> serde_json::Value {
    let found = attributes.iter().find(|attribute| attribute.key == key);
    match found.and_then(|attribute| attribute.value.clone()?.value) {
        Some(Value::StringValue(text)) => json!(text),
        Some(Value::IntValue(integer)) => json!(integer),
        Some(Value::DoubleValue(number)) => json!(number),
        other => panic!("{key}: {other:?} in {attributes:?}"),
    }
}

/// Whether these are the labels of documents of the site.
fn is_of_documents(labels: &[KeyValue]) -> bool {
    attribute(labels, "listener") == "site" && attribute(labels, "kind") == "document"
}

/// Stops the gateway, which exports the rest.
fn stop(gateway: &mut Gateway) {
    gateway.signal("TERM");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
}

/// Stops the gateway and returns all bytes that the collector received.
fn collected(mut gateway: Gateway, collector: &Backend) -> Vec<u8> {
    stop(&mut gateway);
    let received = collector.received_bytes();
    assert!(!received.is_empty(), "the gateway exported nothing");
    received.concat()
}

fn contains(bytes: &[u8], wanted: impl AsRef<[u8]>) -> bool {
    let wanted = wanted.as_ref();
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

fn gateway_with_collector(collector: &str, keys: &str) -> Gateway {
    Gateway::set_up_live(Setup {
        listen: "trusted_proxies = [\"127.0.1.0/24\"]",
        extra: &format!(
            "[telemetry]\notlp_endpoint = \"{collector}\"\notlp_headers = {{ x-api-key = {{ env = \"OTLP_KEY\" }} }}\n{keys}"
        ),
        variables: &[
            ("OTLP_KEY", "50%25key"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.instance.id=gw-7,team=edge"),
        ],
        ..Setup::default()
    })
}

#[test]
fn collector_gets_each_signal_over_each_protocol() {
    for (protocol, name) in PROTOCOLS {
        let collector = Upstream::collector(protocol, true, None);
        let keys = format!("otlp_protocol = \"{name}\"\n{ALL_SIGNALS}");
        let mut gateway = gateway_with_collector(&collector.origin(), &keys);
        let proxy = gateway.site.with_source_ip(PROXY);
        let request = Request::new("GET", "/state/secret-path?secret-query=1")
            .header("traceparent", &format!("00-{TRACE}-00f067aa0ba902b7-01"))
            .header("cookie", "secret=1")
            .header("x-forwarded-for", "203.0.113.77");
        let line = gateway.request_event(&proxy.send(request));
        stop(&mut gateway);
        assert!(!gateway.output().contains("50%25key"));
        let received = collector.stop();
        let exports = Exports { protocol, received };
        assert_span(&exports.spans(), &line);
        assert_record(&exports.log_records(), &line);
        let counted = "colonnade_http_requests_total";
        let (counts, durations) = exports.data_points(counted, "colonnade_http_request_duration_seconds");
        let mut of_documents = counts.iter().filter(|point| {
            is_of_documents(&point.attributes) && attribute(&point.attributes, "code_class") == "2xx"
        });
        let count = of_documents.next().unwrap();
        assert_eq!(count.value, Some(number_data_point::Value::AsInt(1)));
        assert!(0 < count.start_time_unix_nano && count.start_time_unix_nano < count.time_unix_nano);
        let mut durations = durations
            .iter()
            .filter(|point| is_of_documents(&point.attributes));
        let duration = durations.next().unwrap();
        assert_eq!(
            (duration.count, duration.bucket_counts.iter().sum::<u64>()),
            (1, 1)
        );
        assert_eq!(duration.bucket_counts.len(), duration.explicit_bounds.len() + 1);
        for request in exports.received {
            for text in ["secret", "203.0.113.77"] {
                assert!(!contains(&request.body, text), "{text}");
            }
        }
    }
}

/// The span continues the trace, and has what the line of the request has.
fn assert_span(spans: &[Span], line: &serde_json::Value) {
    let span = spans
        .iter()
        .find(|span| span.name == "GET /state/:state")
        .unwrap();
    let trace = u128::from_str_radix(TRACE, 16).unwrap().to_be_bytes();
    assert_eq!(span.trace_id, trace);
    for (key, field) in [
        ("http.route", "route"),
        ("http.response.status_code", "status"),
        ("colonnade.request_id", "request_id"),
    ] {
        assert_eq!(attribute(&span.attributes, key), line[field]);
    }
}

/// The record of a line has its fields and no others.
fn assert_record(records: &[LogRecord], line: &serde_json::Value) {
    let is_request = |record: &&LogRecord| {
        record.event_name == "request" && attribute(&record.attributes, "request_id") == line["request_id"]
    };
    let record = records.iter().find(is_request).unwrap();
    assert_eq!(record.severity_text, line["level"]);
    let timestamp: Timestamp = line["timestamp"].as_str().unwrap().parse().unwrap();
    assert_eq!(i128::from(record.time_unix_nano), timestamp.as_nanosecond());
    let fields = line.as_object().unwrap().iter();
    let fields = fields.filter(|(key, _)| !["timestamp", "level", "event"].contains(&key.as_str()));
    let mut count = 0;
    for (key, value) in fields {
        assert_eq!(&attribute(&record.attributes, key), value);
        count += 1;
    }
    assert_eq!(record.attributes.len(), count, "{record:?}");
    // Events are records, too.
    assert!(
        records
            .iter()
            .any(|record| record.event_name == "shutdown_complete")
    );
}

#[test]
fn exports_leak_no_secrets_for_any_signup_outcome() {
    let collector = Backend::start(Reply::Response(200, "application/x-protobuf", String::new()));
    let backend = Backend::start(Reply::Close);
    let machine = FaultyMachine::new();
    // The exporter must send only at shutdown: with the broken clock it would panic, too, when it opens a socket.
    let keys = format!(
        "total_timeout_ms = 200\nbreaker_failure_threshold = 1000\n[telemetry]\notlp_endpoint = \"{}\"\notlp_interval_seconds = 86400\n{ALL_SIGNALS}",
        collector.origin()
    );
    let gateway = machine
        .start_with(&configuration(&backend.origin(), &keys), &VARIABLES)
        .with_live_site();
    use_admin_api(&gateway);
    let sign_up = || signup_requests().map(|request| gateway.site.send(request));
    let replies = [
        Reply::json(200, &json!({})),
        Reply::json(409, &json!({ "error": "That address is taken." })),
        Reply::Stall,
        Reply::Close,
        Reply::Raw("rubbish\r\n\r\n".to_owned()),
    ];
    for reply in replies {
        backend.set_reply(reply);
        for response in sign_up() {
            gateway.request_event(&response);
        }
    }
    assert_eq!(backend.received().len(), 10);
    machine.break_monotonic_clock();
    for response in sign_up() {
        assert_eq!(response.status, 500, "{}", response.text());
        gateway.request_event(&response);
    }
    machine.fix_monotonic_clock();
    assert_eq!(gateway.output().matches("\"event\":\"panic\"").count(), 2);
    let sent = collected(gateway, &collector);
    for wanted in [
        "POST /functions/v1/signup",
        "PUT /api/v1/sections",
        "/v1/metrics",
        "/v1/logs",
    ] {
        assert!(contains(&sent, wanted), "{wanted}");
    }
    assert_no_secrets("an export", &sent, &SECRETS);
}

#[test]
fn traceparent_of_untrusted_client_is_ignored() {
    let collector = Backend::start(Reply::Response(200, "application/x-protobuf", String::new()));
    let gateway = gateway_with_collector(&collector.origin(), "");
    let request = Request::new("GET", "/").header("traceparent", &format!("00-{TRACE}-00f067aa0ba902b7-01"));
    gateway.request_event(&gateway.site.send(request));
    let sent = collected(gateway, &collector);
    assert!(!contains(
        &sent,
        u128::from_str_radix(TRACE, 16).unwrap().to_be_bytes()
    ));
}

#[test]
fn failed_exports_are_logged_and_counted() {
    let collectors = PROTOCOLS.map(|(protocol, _)| Upstream::collector(protocol, false, None));
    let origins = collectors.each_ref().map(Upstream::origin);
    let cases = [
        (
            &*origins[0],
            "http",
            "the response has the status 503 Service Unavailable",
        ),
        (&origins[1], "grpc", "the response has the gRPC status 16"),
        (CLOSED_ORIGIN, "http", "Connection refused"),
    ];
    let gateways = cases.map(|(origin, protocol, error)| {
        let keys = format!("otlp_protocol = \"{protocol}\"\notlp_interval_seconds = 1\n");
        let gateway = gateway_with_collector(origin, &keys);
        assert_eq!(gateway.get("/").status, 200);
        (gateway, error)
    });
    for (gateway, error) in gateways {
        let failed = gateway.wait_for_event(|line| line["event"] == "otlp_export_failed");
        assert_eq!(failed["signal"], "traces");
        assert!(failed["error"].as_str().unwrap().starts_with(error), "{failed}");
        wait_until("the failure is counted", || {
            let metrics = gateway.admin.get("/metrics").text();
            ["failed_exports", "dropped"].iter().all(|name| {
                let sample = format!("colonnade_otlp_{name}_total{{signal=\"traces\"}} ");
                let mut values = metrics.lines().filter_map(|line| line.strip_prefix(&sample));
                values.next().unwrap() != "0"
            })
        });
        assert!(!gateway.output().contains("50%25key"));
    }
}

#[test]
fn hanging_collector_does_not_affect_requests() {
    let collector = Backend::start(Reply::Stall);
    let keys = format!("otlp_interval_seconds = 1\n{ALL_SIGNALS}");
    let gateway = gateway_with_collector(&collector.origin(), &keys);
    // From now on, an export waits for its response.
    collector.wait_for_request();
    for _ in 0..100 {
        assert_eq!(gateway.get("/").status, 200);
    }
}

#[test]
fn calls_of_upstreams_have_spans_in_trace_of_request() {
    const PAGE: &str =
        "export default { queries: () => ({ a: '/api/events/query?marked' }), data: () => ({}) };";
    let collector = Backend::start(Reply::Response(200, "application/x-protobuf", String::new()));
    let upstream = Upstream::json("{}");
    let telemetry = format!("[telemetry]\notlp_endpoint = \"{}\"\n", collector.origin());
    let table = upstream_table(&[&upstream.origin()], &telemetry);
    let gateway = Gateway::start_with(&table, &[]);
    deploy_with_queries(&gateway, PAGE);
    for path in ["/api/events/marked-path?marked-query", "/live/marked-path"] {
        let response = gateway.get(path);
        gateway.request_event(&response);
    }
    let sent = collected(gateway, &collector);
    let received = upstream.received();
    assert_eq!(received.len(), 2, "{received:?}");
    for request in received {
        let parts: Vec<&str> = request.values("traceparent")[0].split('-').collect();
        let [trace, span] = [parts[1], parts[2]].map(|hex| u128::from_str_radix(hex, 16).unwrap());
        let (trace, span) = (trace.to_be_bytes(), &span.to_be_bytes()[8..]);
        assert!(contains(&sent, trace) && contains(&sent, span), "{request:?}");
        // The trace has the request and its call; that of the page also renders and reads of the store.
        let spans = sent
            .windows(trace.len())
            .filter(|window| *window == trace)
            .count();
        let is_page = request.target.starts_with("/query");
        assert!(
            if is_page { spans >= 4 } else { spans == 2 },
            "{request:?}: {spans}"
        );
    }
    for wanted in [
        "call events",
        "render live",
        "colonnade.section",
        "colonnade.outcome",
    ] {
        assert!(contains(&sent, wanted), "{wanted}");
    }
    assert!(!contains(&sent, "marked"));
}
