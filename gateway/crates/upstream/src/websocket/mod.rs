//! WebSockets to an upstream (RFC 6455; over HTTP/2: RFC 8441): the handshake of both sides.
//!
//! The upstream gets an HTTP/1.1 request with a key of the gateway, because a client has none over
//! HTTP/2. The ends agree on subprotocols and extensions themselves.

mod frames;
mod relay;

use std::borrow::Cow;
use std::sync::Arc;

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use colonnade_web::body::{RequestBody, ResponseBody};
use colonnade_web::origin;
use colonnade_web::request::Head;
use colonnade_web::request_scope;
use colonnade_web::response::Response;
use colonnade_web::stream::StreamConnection;
use http::header::{
    CONNECTION, ORIGIN, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_EXTENSIONS, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, response};
use http_body::Body as _;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;

use crate::error::{SWITCH, UpstreamError, VERSION, WEBSOCKET};
use crate::hop_by_hop::asks_for_upgrade;
use crate::request_headers;
use crate::send::{Outgoing, StreamRequest};
use crate::stream::{StreamEnd, StreamKind};
use crate::streams::OpenStream;
use crate::target::Target;
use crate::upstream::Upstream;
use relay::relay;

/// What a server appends to the key of a client (RFC 6455, section 1.3).
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// A client's side of the handshake.
struct Handshake<'a> {
    connection: &'a StreamConnection,
    client: &'a OnUpgrade,
    /// `None` over HTTP/2, which needs no key.
    key: Option<&'a HeaderValue>,
}

/// Returns whether a request asks for a WebSocket. No other CONNECT gets here.
pub(crate) fn is_websocket(head: &Parts) -> bool {
    let is_named = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"websocket");
    head.method == Method::CONNECT
        || (asks_for_upgrade(&head.headers) && head.headers.get_all(UPGRADE).iter().all(is_named))
}

impl<'a> Handshake<'a> {
    /// `None` if it is not valid.
    fn of(head: &'a Parts) -> Option<Self> {
        let is_http1 = head.method == Method::GET;
        if !(is_http1 || head.method == Method::CONNECT)
            || head.headers.get(SEC_WEBSOCKET_VERSION) != Some(&VERSION)
        {
            return None;
        }
        Some(Self {
            connection: head.extensions.get()?,
            client: head.extensions.get()?,
            key: if is_http1 {
                Some(head.headers.get(SEC_WEBSOCKET_KEY)?)
            } else {
                None
            },
        })
    }

    /// Turns the response of the upstream into that of the gateway.
    fn answer(&self, head: &mut response::Parts) {
        let headers = &mut head.headers;
        headers.remove(SEC_WEBSOCKET_ACCEPT);
        head.status = StatusCode::OK;
        if let Some(key) = self.key {
            head.status = StatusCode::SWITCHING_PROTOCOLS;
            headers.insert(CONNECTION, SWITCH);
            headers.insert(UPGRADE, WEBSOCKET);
            headers.insert(SEC_WEBSOCKET_ACCEPT, accept(key.as_bytes()));
        }
    }
}

impl Upstream {
    /// Opens a WebSocket, if the upstream does. Otherwise returns its response.
    pub(crate) async fn open_websocket(
        self: &Arc<Self>,
        head: &Head,
        body: &RequestBody,
        target: Target,
    ) -> Result<Response, UpstreamError> {
        let accepted = self.accept_handshake(head, body).await;
        let (handshake, mut stream) =
            accepted.inspect_err(|error| self.metrics.requests.count(error.outcome()))?;
        let key = STANDARD.encode(rand::random::<[u8; 16]>());
        let outgoing = Outgoing {
            method: Method::GET,
            target,
            headers: Cow::Owned(self.handshake_headers(head, &key)),
            max_response_bytes: self.settings.max_response_bytes,
            client: Some(head.client.key()),
            is_query: false,
            spans: request_scope::call_spans(),
            stream: Some(StreamRequest::WebSocket {
                accept: accept(key.as_bytes()),
            }),
        };
        let response = self.send(outgoing, None).await?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Ok(Response::new(response.map(ResponseBody::forwarded)));
        }
        let (mut answer, body) = response.into_parts();
        handshake.answer(&mut answer);
        let (client, ending) = (handshake.client.clone(), handshake.connection.0.ending());
        let upstream = Arc::clone(self);
        handshake.connection.0.run(Box::pin(async move {
            let Ok(client) = client.await else {
                return;
            };
            let backend = match body.take_connection() {
                Some(connection) => connection.switch().await,
                None => None,
            };
            stream.end(match backend {
                Some(backend) => relay(TokioIo::new(client), backend, &upstream.settings, ending).await,
                None => StreamEnd::UpstreamClosed,
            });
        }));
        Ok(Response::new(http::Response::from_parts(
            answer,
            ResponseBody::default(),
        )))
    }

    /// Checks the handshake of a client within its limits, before anything is sent.
    async fn accept_handshake<'a>(
        &self,
        head: &'a Head,
        body: &RequestBody,
    ) -> Result<(Handshake<'a>, OpenStream), UpstreamError> {
        let version = head.headers.get(SEC_WEBSOCKET_VERSION);
        // HTTP/2 has no `Upgrade`, which the response needs.
        if head.method == Method::GET && version.is_some_and(|version| version != VERSION) {
            return Err(UpstreamError::OtherVersion);
        }
        // A body would end where the frames begin.
        let handshake = Handshake::of(head).filter(|_| body.is_end_stream());
        let handshake = handshake.ok_or(UpstreamError::InvalidHandshake)?;
        if !origin::has_own_origin(&head.uri, &head.headers, self.site.scheme()) {
            return Err(UpstreamError::CrossOrigin);
        }
        let client = Some(head.client.key());
        self.limit_rate(client)?;
        let stream = self.open_stream(StreamKind::WebSocket, client).await?;
        Ok((handshake, stream))
    }

    /// The headers of the handshake with the upstream.
    fn handshake_headers(&self, head: &Head, key: &str) -> HeaderMap {
        let mut headers = request_headers::of_client(head, &self.settings, &self.origin_headers);
        for name in [ORIGIN, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_EXTENSIONS] {
            headers.remove(&name);
            for value in head.headers.get_all(&name) {
                headers.append(&name, value.clone());
            }
        }
        headers.insert(CONNECTION, SWITCH);
        headers.insert(UPGRADE, WEBSOCKET);
        headers.insert(SEC_WEBSOCKET_VERSION, VERSION);
        // Base64 is valid in a header.
        if let Ok(key) = HeaderValue::from_str(key) {
            headers.insert(SEC_WEBSOCKET_KEY, key);
        }
        headers
    }
}

/// What a server answers to a key.
fn accept(key: &[u8]) -> HeaderValue {
    let digest = digest(&SHA1_FOR_LEGACY_USE_ONLY, &[key, GUID].concat());
    // Base64 is valid in a header.
    HeaderValue::from_str(&STANDARD.encode(digest)).unwrap_or(SWITCH)
}
