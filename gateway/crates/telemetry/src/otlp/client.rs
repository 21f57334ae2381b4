//! The client of a collector: OTLP over HTTP, and over gRPC.
//!
//! Each export over gRPC is one unary call: a POST of one message with a prefix of five bytes, whose
//! status is in the trailers of the response.

use std::error::Error;
use std::time::Duration;

use bytes::{Buf as _, BufMut as _, Bytes};
use http::header::{CONTENT_TYPE, TE, USER_AGENT};
use http::response::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode};
use http_body_util::{BodyExt as _, Collected, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceResponse;
use prost::Message;
use rustls::{ClientConfig, RootCertStore};
use secrecy::ExposeSecret as _;
use tokio::time::timeout;

use colonnade_config::{OtlpProtocol, OtlpSignal, TelemetrySettings};

/// The timeout of an export.
pub(super) const TIMEOUT: Duration = Duration::from_secs(5);

/// The length of the prefix of a message: whether it is compressed, and its length.
const PREFIX: usize = 5;

/// The maximum size of a response.
const MAX_RESPONSE: usize = 64 * 1024;

const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");

/// The client of a collector.
#[derive(Debug)]
pub(super) struct Client {
    http: legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// Without a slash at its end.
    origin: String,
    protocol: OtlpProtocol,
    headers: HeaderMap,
}

/// The client cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// A header has a value that cannot be sent.
    #[error("the header `{0}` has an invalid value")]
    Header(HeaderName),
    /// The root certificates of the system cannot be loaded.
    #[error(transparent)]
    Tls(#[from] rustls::Error),
}

/// Why an export fails. Contains nothing that the collector wrote, which may be a secret.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    #[error("no response within {} s", TIMEOUT.as_secs())]
    TimedOut,
    #[error("{}", innermost(.0))]
    Call(#[from] legacy::Error),
    #[error("the response is cut, or too large")]
    Response,
    #[error("the response has the status {0}")]
    Status(StatusCode),
    #[error("the response has the gRPC status {0}")]
    GrpcStatus(u8),
    #[error("the response has no gRPC status")]
    NoGrpcStatus,
}

fn innermost(error: &legacy::Error) -> &dyn Error {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost
}

impl Client {
    /// Creates a client of the collector at `origin`.
    pub(super) fn new(origin: &str, telemetry: &TelemetrySettings) -> Result<Self, ClientError> {
        let is_grpc = telemetry.otlp_protocol == OtlpProtocol::Grpc;
        let tls = if origin.starts_with("https:") {
            telemetry.otlp_tls.config()?
        } else {
            // Without TLS, it also works on machines that have no root certificates.
            let trust = ClientConfig::builder().with_root_certificates(RootCertStore::empty());
            trust.with_no_client_auth()
        };
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Otherwise exports would use the connection to a machine that is gone for a long time.
        #[cfg(target_os = "linux")]
        tcp.set_tcp_user_timeout(Some(TIMEOUT));
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
        let connector = if is_grpc {
            connector.enable_http2().wrap_connector(tcp)
        } else {
            connector.enable_http1().wrap_connector(tcp)
        };
        Ok(Self {
            http: legacy::Client::builder(TokioExecutor::new())
                .http2_only(is_grpc)
                .build(connector),
            origin: origin.trim_end_matches('/').to_owned(),
            protocol: telemetry.otlp_protocol,
            headers: headers(telemetry)?,
        })
    }

    /// Sends a message. Returns how many of its items the collector rejects.
    pub(super) async fn send(&self, signal: OtlpSignal, message: &impl Message) -> Result<u64, SendError> {
        let exchange = timeout(TIMEOUT, self.exchange(self.request(signal, message)));
        let mut body = exchange.await.map_err(|_| SendError::TimedOut)??;
        if self.protocol == OtlpProtocol::Grpc {
            body.advance(PREFIX.min(body.len()));
        }
        // The responses of all signals have the number in the same field.
        let response = ExportLogsServiceResponse::decode(body).unwrap_or_default();
        let rejected = response.partial_success.unwrap_or_default().rejected_log_records;
        Ok(rejected.try_into().unwrap_or_default())
    }

    fn request(&self, signal: OtlpSignal, message: &impl Message) -> Request<Full<Bytes>> {
        let mut body = Vec::new();
        let path = match self.protocol {
            OtlpProtocol::Http => format!("/v1/{}", signal.name()),
            OtlpProtocol::Grpc => {
                body.put_u8(0);
                // A message is far smaller than 4 GiB.
                body.put_u32(u32::try_from(message.encoded_len()).unwrap_or_default());
                let service = match signal {
                    OtlpSignal::Traces => "trace.v1.TraceService",
                    OtlpSignal::Metrics => "metrics.v1.MetricsService",
                    OtlpSignal::Logs => "logs.v1.LogsService",
                };
                format!("/opentelemetry.proto.collector.{service}/Export")
            }
        };
        body.extend(message.encode_to_vec());
        let mut request = Request::new(Full::from(body));
        *request.method_mut() = http::Method::POST;
        // An origin and a path of letters are a URI.
        *request.uri_mut() = format!("{}{path}", self.origin).parse().unwrap_or_default();
        *request.headers_mut() = self.headers.clone();
        request
    }

    /// Sends a request, and returns the body of a successful response.
    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Bytes, SendError> {
        let (head, body) = self.http.request(request).await?.into_parts();
        if !head.status.is_success() {
            return Err(SendError::Status(head.status));
        }
        let body = Limited::new(body, MAX_RESPONSE).collect().await;
        let body = body.map_err(|_| SendError::Response)?;
        if self.protocol == OtlpProtocol::Grpc {
            check_grpc_status(&head, &body)?;
        }
        Ok(body.to_bytes())
    }
}

/// A response without a message may have its status in the head.
fn check_grpc_status(head: &Parts, body: &Collected<Bytes>) -> Result<(), SendError> {
    let trailer = body.trailers().and_then(|trailers| trailers.get(GRPC_STATUS));
    let status = trailer.or_else(|| head.headers.get(GRPC_STATUS));
    let status = status.and_then(|status| status.to_str().ok()?.parse().ok());
    match status {
        Some(0) => Ok(()),
        Some(status) => Err(SendError::GrpcStatus(status)),
        None => Err(SendError::NoGrpcStatus),
    }
}

/// What each request has, such as the key of a collector.
fn headers(telemetry: &TelemetrySettings) -> Result<HeaderMap, ClientError> {
    let mut headers = HeaderMap::new();
    for (name, secret) in &telemetry.otlp_headers {
        let value = HeaderValue::from_str(secret.expose_secret());
        let mut value = value.map_err(|_| ClientError::Header(name.clone()))?;
        value.set_sensitive(true);
        headers.insert(name.clone(), value);
    }
    let agent = concat!("colonnade-gateway/", env!("CARGO_PKG_VERSION"));
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    let content_type = match telemetry.otlp_protocol {
        OtlpProtocol::Http => "application/x-protobuf",
        OtlpProtocol::Grpc => {
            headers.insert(TE, HeaderValue::from_static("trailers"));
            "application/grpc"
        }
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    Ok(headers)
}
