//! Name resolution that refuses link-local addresses and those of metadata services (SSRF).

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec;

use colonnade_config::is_link_local;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use tower::Service;

/// Resolves names by the system's resolver.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    /// Whether such addresses are allowed.
    pub(crate) allow_link_local: bool,
}

impl Service<Name> for Resolver {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let allow_link_local = self.allow_link_local;
        Box::pin(async move {
            let found = GaiResolver::new().call(name).await?;
            let allowed = found.filter(|address| allow_link_local || !is_link_local(address.ip()));
            let allowed: Vec<_> = allowed.collect();
            if allowed.is_empty() {
                // The connector would otherwise report that it could not connect.
                return Err(io::Error::other(
                    "the name has no address that is not link-local or that of a metadata service",
                ));
            }
            Ok(allowed.into_iter())
        })
    }
}
