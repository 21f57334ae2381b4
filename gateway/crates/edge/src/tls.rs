//! TLS of a listener. The certificate can be replaced while connections are open.

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

use crate::connection::Protocol;

/// The ALPN protocol ID of HTTP/2 (RFC 7301; RFC 9113, section 3.2).
const H2: &[u8] = b"h2";

/// The TLS configuration of a listener.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    certificate: Arc<CurrentCertificate>,
}

/// The certificate of new connections.
struct CurrentCertificate(ArcSwap<CertifiedKey>);

impl fmt::Debug for CurrentCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CurrentCertificate")
    }
}

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

impl Tls {
    /// Creates a configuration for TLS 1.2 and 1.3 with this certificate.
    pub fn new(certificate: CertifiedKey) -> Self {
        let certificate = Arc::new(CurrentCertificate(ArcSwap::from_pointee(certificate)));
        let resolver: Arc<dyn ResolvesServerCert> = certificate.clone();
        let mut config = ServerConfig::builder()
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        config.alpn_protocols = vec![H2.to_vec(), b"http/1.1".to_vec()];
        Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            certificate,
        }
    }

    /// Replaces the certificate of new connections.
    pub fn set_certificate(&self, certificate: CertifiedKey) {
        self.certificate.0.store(Arc::new(certificate));
    }

    /// Performs the handshake and negotiates a protocol.
    pub(crate) async fn accept<S>(&self, stream: S) -> io::Result<(TlsStream<S>, Protocol)>
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
