//! What no route should have to think of: requests that are not quite any.
//!
//! hyper takes a missing, a second and a broken Host, an address with another host in it, TRACE and CONNECT. A cache or
//! proxy in front may read such a request in another way than the gateway, so it is refused before anything reads it.
//! What concerns the path alone is refused where it is decoded, in [`RequestPath`](crate::pattern::RequestPath).

use std::convert::Infallible;

use http::header::{CONNECTION, COOKIE, HOST};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Version};
use tower::Service;

use super::layer::Next;
use crate::health;
use crate::host::Host;
use crate::net::{CurrentSettings, Hosts, Settings};
use crate::reply::{Methods, Reply, Route, empty};
use crate::rescue::{Audience, Error, rescue};

/// What is wrong with a request as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RequestError {
    #[error("The request must name one host.")]
    NoHost,
    #[error("The host of the request is none.")]
    Host,
    #[error("This host is not served here.")]
    Misdirected,
    #[error("The host is neither an address, nor localhost, nor one of `listen.admin_hosts`.")]
    AdminHost,
    #[error("The request must name a path, not a whole address.")]
    Absolute,
    #[error("The name of a header field has an underscore.")]
    Underscore,
    #[error("The request has too many header fields.")]
    Fields,
    #[error("The request asks for a connection to somewhere else.")]
    Connect,
}

impl RequestError {
    /// The status it is answered with.
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Misdirected | Self::AdminHost => StatusCode::MISDIRECTED_REQUEST,
            Self::Fields => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::Connect => StatusCode::NOT_IMPLEMENTED,
            Self::NoHost | Self::Host | Self::Absolute | Self::Underscore => StatusCode::BAD_REQUEST,
        }
    }
}

/// Passes on what is a request by these settings.
pub(super) async fn check<S, B>(
    request: Request<B>,
    next: Next<S>,
    settings: CurrentSettings,
    audience: impl FnOnce() -> Audience,
) -> Reply
where
    S: Service<Request<B>, Response = Reply, Error = Infallible>,
{
    let version = request.version();
    let examined = examine(&request, &settings.load());
    let Err(error) = examined else {
        if request.uri().path() == "*" && request.method() == Method::OPTIONS {
            return whole_server();
        }
        return next.run(request).await;
    };
    let mut reply = rescue(&Error::Request(error), audience());
    reply.extensions_mut().insert(Route("refused".into()));
    // Where what was sent is in doubt, so is where the next request begins. HTTP/2 has no such doubt, and no such field.
    if version < Version::HTTP_2 {
        let headers = reply.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    reply
}

/// What the server can do as a whole (RFC 9110, 9.3.7).
fn whole_server() -> Reply {
    let mut reply = empty(StatusCode::NO_CONTENT);
    Methods::GetPost.tell(reply.headers_mut());
    reply.extensions_mut().insert(Route("*".into()));
    reply
}

fn examine<B>(request: &Request<B>, settings: &Settings) -> Result<(), RequestError> {
    let (uri, headers) = (request.uri(), request.headers());
    // hyper counts them over HTTP/1, and over HTTP/2 their bytes alone.
    let most = settings.limits.headers;
    if headers.len() > most && fields(headers) > most {
        return Err(RequestError::Fields);
    }
    if request.method() == Method::CONNECT {
        return Err(RequestError::Connect);
    }
    let authority = uri.authority().map(Authority::as_str);
    let is_first = request.version() < Version::HTTP_2;
    if is_first && authority.is_some() {
        return Err(RequestError::Absolute);
    }
    let is_health = health::is_asked(uri.path());
    // HTTP/1.0 knows no Host, and there are health checks that speak it.
    let needs_host = !is_health || request.version() != Version::HTTP_10 || headers.contains_key(HOST);
    if needs_host {
        let host = host(authority, headers)?;
        // A load balancer asks for the gateway's health by its address.
        if !is_health && !settings.serves(&host) {
            return Err(match settings.hosts {
                Hosts::FixedOr(_) => RequestError::AdminHost,
                Hosts::Any | Hosts::Named(_) => RequestError::Misdirected,
            });
        }
    }
    // Many programs take `a_b` for `a-b`, and so let a client set a field that only a proxy should.
    if headers.keys().any(|name| name.as_str().contains('_')) {
        return Err(RequestError::Underscore);
    }
    Ok(())
}

/// How many fields there are. Over HTTP/2 many a browser makes each cookie a field of its own, which are one (RFC 9113, 8.2.3).
fn fields(headers: &HeaderMap) -> usize {
    let cookies = headers.get_all(COOKIE).iter().count();
    headers.len() - cookies.saturating_sub(1)
}

/// The one host a request names (RFC 9112, 3.2; RFC 9113, 8.3.1).
fn host(authority: Option<&str>, headers: &HeaderMap) -> Result<Host, RequestError> {
    let mut fields = headers.get_all(HOST).iter();
    let (field, another) = (fields.next(), fields.next());
    if another.is_some() {
        return Err(RequestError::NoHost);
    }
    let field = match field {
        Some(field) => Some(field.to_str().map_err(|_| RequestError::Host)?),
        None => None,
    };
    let parse = |text: &str| Host::parse(text).ok_or(RequestError::Host);
    match (authority, field) {
        (None, None) => Err(RequestError::NoHost),
        (Some(only), None) | (None, Some(only)) => parse(only),
        (Some(authority), Some(field)) => {
            let host = parse(authority)?;
            (host == parse(field)?)
                .then_some(host)
                .ok_or(RequestError::NoHost)
        }
    }
}
