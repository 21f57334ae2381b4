//! What a connection tells the routes about its requests, and what they tell it.

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::Response;
use tower::Service;

use super::settings::Settings;
use super::watch::Watch;
use super::{Serve, proxy};
use crate::reply::{ByProxy, Peer, Request};

/// The routes, as one connection asks them.
#[derive(Clone)]
pub(super) struct Visitor<S> {
    pub(super) routes: S,
    /// Who connected.
    pub(super) connected: IpAddr,
    pub(super) settings: Arc<Settings>,
    pub(super) watch: Watch,
}

impl<S: Serve> Service<Request> for Visitor<S> {
    type Response = Response<<S as Serve>::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.routes.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let visitor = proxy::visitor(&self.settings.proxies, self.connected, request.headers());
        let extensions = request.extensions_mut();
        extensions.insert(Peer(visitor));
        if proxy::is_known(&self.settings.proxies, self.connected) {
            extensions.insert(ByProxy);
        }
        let answering = self.watch.answer();
        let reply = self.routes.call(request);
        Box::pin(async move {
            let reply = reply.await;
            drop(answering);
            reply
        })
    }
}
