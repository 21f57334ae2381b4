//! The client for single calls of a service that the operator names, such as a webhook.

use reqwest::ClientBuilder;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use url::Url;

use crate::resolve;

/// Refuses the addresses that upstreams must not have, either.
struct NameResolver;

impl Resolve for NameResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let addresses = resolve(name.as_str().to_owned(), false).await?;
            Ok(Box::new(addresses) as Addrs)
        })
    }
}

/// A client for the service at a URL. It follows no redirects, uses no proxy, and repeats nothing.
pub fn outbound_client(url: &Url) -> ClientBuilder {
    let client = ClientBuilder::new()
        .user_agent(concat!("colonnade-gateway/", env!("CARGO_PKG_VERSION")))
        .no_proxy()
        .redirect(Policy::none())
        .dns_resolver(NameResolver)
        .retry(reqwest::retry::never());
    if url.scheme() == "http" {
        // Without TLS, it also works on machines that have no root certificates.
        return client.tls_certs_only([]);
    }
    client
}
