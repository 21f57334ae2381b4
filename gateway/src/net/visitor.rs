//! What a connection tells the routes about its requests, and what they tell it.

use std::future::{Future, ready};
use std::net::IpAddr;
use std::pin::Pin;

use http::header::CONNECTION;
use http::{HeaderValue, Response, Version};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::service::Service;

use super::answer::Answer;
use super::body::{Progress, RequestBody};
use super::settings::CurrentSettings;
use super::watch::Watch;
use super::{Serve, proxy};
use crate::metrics::ConnectionMetrics;
use crate::reply::{ByProxy, Peer, Request};

/// What an answer says that is the last of its connection (RFC 9112, 9.6).
const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// The routes, as one connection asks them.
pub(super) struct Visitor<S> {
    pub(super) routes: S,
    /// Who connected.
    pub(super) connected: IpAddr,
    /// As they are when a request comes: a proxy that is taken out is believed no more.
    pub(super) settings: CurrentSettings,
    pub(super) watch: Watch,
    pub(super) metrics: ConnectionMetrics,
}

/// The connection a request came over; carried by the request where its client has it alone.
#[derive(Debug, Clone)]
pub(crate) struct Line(Watch);

impl Line {
    /// What tells it from every other, for as long as this is kept.
    pub(crate) fn id(&self) -> usize {
        self.0.id()
    }

    /// How many of its requests only wait for the client, to take their answer or to send their body.
    pub(crate) fn waiting(&self) -> usize {
        self.0.waiting()
    }

    /// Gives it up at once, with all that is under way on it.
    pub(crate) fn displace(&self) {
        self.0.displace();
    }
}

impl<S: Serve> Service<http::Request<Incoming>> for Visitor<S> {
    type Response = Response<Answer<<S as Serve>::Body>>;
    /// What the request is reset with, over HTTP/2.
    type Error = h2::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, h2::Error>> + Send>>;

    fn call(&self, request: http::Request<Incoming>) -> Self::Future {
        // Over HTTP/1 nothing more is read by then but what had begun.
        if request.version() == Version::HTTP_2 && self.watch.is_closed() {
            return Box::pin(ready(Err(h2::Reason::REFUSED_STREAM.into())));
        }
        let (mut request, progress) = self.watched(request);
        let settings = self.settings.load();
        let visitor = proxy::visitor(&settings.proxies, self.connected, request.headers());
        let extensions = request.extensions_mut();
        extensions.insert(Peer(visitor));
        if proxy::is_known(&settings.proxies, self.connected) {
            extensions.insert(ByProxy);
        } else {
            // Behind a proxy are many, who are not to lose their answers for one of them.
            extensions.insert(Line(self.watch.clone()));
        }
        let answering = self.watch.answer();
        let version = request.version();
        let reply = self.routes.clone().call(request);
        let Some(progress) = progress else {
            return Box::pin(async move {
                let Ok(mut reply) = reply.await;
                // HTTP/2 has a frame for it.
                if version < Version::HTTP_2 && answering.is_last() {
                    reply.headers_mut().insert(CONNECTION, CLOSE);
                }
                Ok(reply.map(|body| Answer::new(body, answering)))
            });
        };
        let metrics = self.metrics.clone();
        Box::pin(async move {
            tokio::select! {
                biased;
                Ok(reply) = reply => Ok(reply.map(|body| Answer::new(body, answering))),
                () = progress.ceased() => {
                    metrics.given_up();
                    Err(h2::Reason::CANCEL.into())
                }
            }
        })
    }
}

impl<S> Visitor<S> {
    /// The request, and how its body gets on where that has a deadline of its own.
    fn watched(&self, request: http::Request<Incoming>) -> (Request, Option<Progress>) {
        let (head, body) = request.into_parts();
        let has_deadline = head.version == Version::HTTP_2 && !body.is_end_stream();
        let (body, progress) = if has_deadline {
            let (body, progress) = RequestBody::watched(body, self.watch.clone());
            (body, Some(progress))
        } else {
            (RequestBody::new(body), None)
        };
        (Request::from_parts(head, body), progress)
    }
}
