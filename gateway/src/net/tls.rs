//! TLS of a listener: the certificate can be changed while connections are open.

use std::fmt;
use std::io;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::Protocol;

/// The name of HTTP/2 in ALPN (RFC 7301).
const H2: &[u8] = b"h2";

/// What a listener needs to speak TLS.
#[derive(Clone)]
pub(crate) struct Tls {
    acceptor: TlsAcceptor,
    current: Arc<Current>,
}

/// The certificate that new connections are shown.
struct Current(ArcSwap<CertifiedKey>);

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Current")
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

impl Tls {
    /// TLS 1.2 and 1.3 with this certificate.
    pub(crate) fn new(certificate: CertifiedKey) -> Self {
        let current = Arc::new(Current(ArcSwap::from_pointee(certificate)));
        let resolver: Arc<dyn ResolvesServerCert> = current.clone();
        let mut config = ServerConfig::builder()
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        config.alpn_protocols = vec![H2.to_vec(), b"http/1.1".to_vec()];
        Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            current,
        }
    }

    /// Shows another certificate from now on.
    pub(crate) fn renew(&self, certificate: CertifiedKey) {
        self.current.0.store(Arc::new(certificate));
    }

    /// Greets a client and agrees on a protocol.
    pub(super) async fn accept<S>(&self, stream: S) -> io::Result<(TlsStream<S>, Protocol)>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let stream = self.acceptor.accept(stream).await?;
        let protocol = match stream.get_ref().1.alpn_protocol() {
            Some(H2) => Protocol::Http2,
            _ => Protocol::Http1,
        };
        Ok((stream, protocol))
    }
}
