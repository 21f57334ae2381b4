//! Name resolution that refuses link-local addresses and those of metadata services (SSRF).

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::vec;

use colonnade_config::is_link_local;
use colonnade_web::coalesce::RequestCoalescer;
use hyper_util::client::legacy::connect::dns::Name;
use tokio::net::lookup_host;
use tokio::sync::Semaphore;
use tower::Service;

/// The most lookups at the same time, a sixteenth of the threads for blocking work. A lookup keeps
/// its thread when its caller has stopped waiting: a DNS server that hangs must leave threads for
/// other work.
const MAX_LOOKUPS: usize = 32;

/// The lookups of the process, whose clients share the threads for blocking work.
static LOOKUPS: LazyLock<Lookups> = LazyLock::new(|| Lookups {
    in_progress: Arc::default(),
    permits: Semaphore::const_new(MAX_LOOKUPS),
});

struct Lookups {
    /// One for each name.
    in_progress: Arc<RequestCoalescer<String, Found>>,
    permits: Semaphore,
}

/// The result of a lookup: the addresses of a name, or the error.
type Found = Result<Arc<[SocketAddr]>, Arc<io::Error>>;

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
        Box::pin(resolve(name.as_str().to_owned(), self.allow_link_local))
    }
}

/// Returns the addresses of a name, with port 0, without those that are refused unless
/// `allow_link_local`.
///
/// # Errors
///
/// It has no address, or all of its addresses are refused.
pub async fn resolve(name: String, allow_link_local: bool) -> io::Result<vec::IntoIter<SocketAddr>> {
    let found = look_up(name).await;
    let found = found.map_err(|error| io::Error::new(error.kind(), error))?;
    let found = found.iter().copied();
    if allow_link_local {
        Ok(found.collect::<Vec<_>>().into_iter())
    } else {
        without_link_local(found)
    }
}

/// Returns the addresses of a name, from the lookup of it that is in progress or from a new one.
async fn look_up(name: String) -> Found {
    let key = name.clone();
    let lookup = async {
        // The semaphore is never closed.
        let _permit = LOOKUPS.permits.acquire().await;
        let found = lookup_host((name, 0)).await;
        found.map(Iterator::collect).map_err(Arc::new)
    };
    let found = LOOKUPS.in_progress.start(key, lookup).outcome().await;
    found.unwrap_or_else(|| Err(Arc::new(io::ErrorKind::Interrupted.into())))
}

/// Leaves out the refused addresses.
///
/// # Errors
///
/// All addresses are refused.
fn without_link_local(found: impl Iterator<Item = SocketAddr>) -> io::Result<vec::IntoIter<SocketAddr>> {
    let allowed: Vec<_> = found.filter(|address| !is_link_local(address.ip())).collect();
    if allowed.is_empty() {
        return Err(io::Error::other(
            "the name has no address that is neither link-local nor that of a metadata service",
        ));
    }
    Ok(allowed.into_iter())
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::without_link_local;

    #[test]
    fn link_local_addresses_are_refused() {
        let addresses = |texts: &[&str]| {
            let texts = texts
                .iter()
                .map(|text| text.parse::<SocketAddr>().expect("an address"));
            texts.collect::<Vec<_>>().into_iter()
        };
        for refused in [
            "169.254.169.254:80",
            "169.254.0.1:80",
            "100.100.100.200:80",
            "168.63.129.16:80",
            "[fd20:ce::254]:80",
            "[fe80::1]:80",
            "[febf::1]:80",
            "[fd00:ec2::254]:80",
            "[::ffff:169.254.169.254]:80",
            "[64:ff9b::169.254.169.254]:80",
        ] {
            assert!(without_link_local(addresses(&[refused])).is_err(), "{refused}");
            let both = without_link_local(addresses(&[refused, "10.0.0.1:80"]));
            let allowed: Vec<_> = both.expect("one is allowed").collect();
            assert_eq!(allowed, addresses(&["10.0.0.1:80"]).collect::<Vec<_>>());
        }
        let allowed = [
            "127.0.0.1:80",
            "10.0.0.1:80",
            "[::1]:80",
            "[fd00:ec2::1]:80",
            "[64:ff9b::10.0.0.1]:80",
        ];
        assert_eq!(
            without_link_local(addresses(&allowed)).expect("all are").len(),
            allowed.len()
        );
    }
}
