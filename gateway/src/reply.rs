//! Requests and responses as the rest of the gateway sees them.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, LOCATION, RETRY_AFTER, VARY};
use http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use serde::Serialize;

use crate::conditional::{Validators, Verdict, weigh};
use crate::content::Content;
use crate::negotiate::Coding;
use crate::net::{Client, RequestBody};
use crate::stack::Seat;

/// A request as it arrives.
pub(crate) type Request = http::Request<RequestBody>;

/// A response: everything the gateway sends is in memory when it is sent.
pub(crate) type Reply = Response<Content>;

/// Which of the gateway's routes answered; carried by a response, for the log. Never the path itself.
#[derive(Debug, Clone)]
pub(crate) struct Route(pub(crate) Cow<'static, str>);

/// What is to be held until a response is sent; carried by the response, and then by its body.
#[derive(Debug, Clone)]
#[expect(dead_code, reason = "it is held, not looked at")]
pub(crate) struct Held(pub(crate) Arc<Seat>);

/// The visitor's address; carried by the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Who sent a request, as far as it says.
pub(crate) fn client(extensions: &Extensions) -> Option<Client> {
    extensions.get().map(|Peer(address)| Client::at(*address))
}

/// That a request comes from a proxy that is believed; carried by the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByProxy;

/// The header with the id of a request.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id under which a request is logged; carried by the request.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(pub(crate) HeaderValue);

/// The number of the deployment a response came from; carried by a response, for the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FromDeployment(pub(crate) u64);

/// `Cache-Control`: may be kept, but is asked about each time.
pub(crate) const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
/// `Cache-Control`: kept by nobody.
pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// `Cache-Control`: kept by everybody, for what never changes under its address.
pub(crate) const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// `Content-Type` of documents and plain pages.
pub(crate) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
/// `Content-Type` of answers to scripts.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// `Content-Type` of a line of text.
pub(crate) const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// A response of this type, kept by nobody unless it says otherwise.
pub(crate) fn reply(status: StatusCode, content_type: HeaderValue, body: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Content::from(body.into()));
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(CACHE_CONTROL, NO_STORE);
    reply
}

/// A line of text.
pub(crate) fn text(status: StatusCode, words: &str) -> Reply {
    reply(status, TEXT, format!("{words}\n"))
}

/// A JSON value.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Reply {
    match serde_json::to_vec(value) {
        Ok(body) => reply(status, JSON, body),
        // Only a value with keys that are no texts cannot be written; none of the gateway's has any.
        Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong."),
    }
}

/// No words at all.
pub(crate) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(Content::default());
    *reply.status_mut() = status;
    reply.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    reply
}

/// A redirect. `None` if the location cannot stand in a header.
pub(crate) fn redirect(status: StatusCode, location: &str) -> Option<Reply> {
    let location = HeaderValue::from_str(location).ok()?;
    let mut reply = empty(status);
    reply.headers_mut().insert(LOCATION, location);
    Some(reply)
}

/// One form of something that has several, with its own strong validator.
#[derive(Debug, Clone)]
pub(crate) struct Representation {
    /// How it is compressed.
    pub(crate) coding: Coding,
    /// Its validator.
    pub(crate) etag: HeaderValue,
    /// Its bytes, compressed already.
    pub(crate) bytes: Bytes,
}

/// Sends a representation, or 304 if the client has it, or 412 if it wanted another. `headers` are those of all answers.
pub(crate) fn represent(
    request: &HeaderMap,
    content_type: &HeaderValue,
    headers: HeaderMap,
    representation: Representation,
) -> Reply {
    let Representation { coding, etag, bytes } = representation;
    let validators = Validators {
        etag: etag.as_bytes(),
        modified: None,
    };
    let verdict = weigh(request, validators);
    let body = match verdict {
        Verdict::Proceed => bytes,
        Verdict::NotModified | Verdict::Failed => Bytes::new(),
    };
    let mut reply = Response::new(Content::from(body));
    *reply.headers_mut() = headers;
    let headers = reply.headers_mut();
    headers.insert(ETAG, etag);
    headers
        .entry(VARY)
        .or_insert(HeaderValue::from_static("Accept-Encoding"));
    let status = match verdict {
        Verdict::Proceed => StatusCode::OK,
        Verdict::NotModified => StatusCode::NOT_MODIFIED,
        Verdict::Failed => StatusCode::PRECONDITION_FAILED,
    };
    if status != StatusCode::OK {
        *reply.status_mut() = status;
        return reply;
    }
    headers.insert(CONTENT_TYPE, content_type.clone());
    if coding != Coding::Identity {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
    reply
}

/// Says when it is worth asking again: in whole seconds, and never at once.
pub(crate) fn retry_after(reply: &mut Reply, wait: Duration) {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let seconds = HeaderValue::from(seconds.max(1));
    reply.headers_mut().insert(RETRY_AFTER, seconds);
}

/// The methods a route answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Methods {
    Get,
    Post,
    GetPost,
    Put,
    PostDelete,
}

impl Methods {
    /// Whether a method is among them; GET brings HEAD with it.
    pub(crate) fn allow(self, method: &Method) -> bool {
        match self {
            Self::Get => matches!(*method, Method::GET | Method::HEAD),
            Self::Post => *method == Method::POST,
            Self::GetPost => Self::Get.allow(method) || Self::Post.allow(method),
            Self::Put => *method == Method::PUT,
            Self::PostDelete => matches!(*method, Method::POST | Method::DELETE),
        }
    }

    /// The answer to OPTIONS, which every route has (RFC 9110, 9.3.7).
    pub(crate) fn options(self) -> Reply {
        let mut reply = empty(StatusCode::NO_CONTENT);
        self.tell(reply.headers_mut());
        reply
    }

    /// Adds the `Allow` header.
    pub(crate) fn tell(self, headers: &mut HeaderMap) {
        let methods = match self {
            Self::Get => "GET, HEAD, OPTIONS",
            Self::Post => "POST, OPTIONS",
            Self::GetPost => "GET, HEAD, POST, OPTIONS",
            Self::Put => "PUT, OPTIONS",
            Self::PostDelete => "POST, DELETE, OPTIONS",
        };
        headers.insert(ALLOW, HeaderValue::from_static(methods));
    }
}
