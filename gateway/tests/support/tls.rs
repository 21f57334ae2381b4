//! TLS: certificates made for a test, and a client who looks at the one it is shown.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::{Client, Request, Response};

/// A certificate for `site.example` that is its own root.
pub(crate) struct Certificate {
    der: CertificateDer<'static>,
    pem: String,
    key: String,
}

/// The paths of a certificate's files.
pub(crate) struct Files {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Certificate {
    /// A new one.
    pub(crate) fn new() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["site.example".to_owned()]).unwrap();
        Self {
            der: cert.der().clone(),
            pem: cert.pem(),
            key: signing_key.serialize_pem(),
        }
    }

    /// Writes it to a folder.
    pub(crate) fn write(&self, folder: &Path) -> Files {
        let files = Files {
            certificate: folder.join("certificate.pem"),
            key: folder.join("key.pem"),
        };
        std::fs::write(&files.key, &self.key).unwrap();
        std::fs::write(&files.certificate, &self.pem).unwrap();
        files
    }

    /// Connects as somebody who trusts this certificate alone; fails if another is shown, or nobody speaks TLS.
    pub(crate) fn connect(&self, client: &Client, protocols: &[&str]) -> std::io::Result<Tls> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let provider = Arc::new(ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let name = ServerName::try_from("site.example").unwrap();
        let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = client.connect();
        connection.complete_io(&mut stream)?;
        Ok(Tls(StreamOwned::new(connection, stream)))
    }

    /// Asks for `/` over a connection of its own.
    pub(crate) fn get(&self, client: &Client) -> std::io::Result<Response> {
        self.send(client, Request::new("GET", "/"))
    }

    /// Sends a request over a connection of its own.
    pub(crate) fn send(&self, client: &Client, request: Request) -> std::io::Result<Response> {
        let mut tls = self.connect(client, &[])?;
        let request = request
            .header("host", "site.example")
            .header("connection", "close");
        tls.0.write_all(&request.message(client.address()))?;
        let mut answer = Vec::new();
        tls.0.read_to_end(&mut answer)?;
        Ok(Response::parse(&answer))
    }
}

impl Files {
    /// The table of the configuration that names them.
    pub(crate) fn table(&self, name: &str) -> String {
        format!(
            "[listen.{name}]\ncertificate = \"{}\"\nkey = \"{}\"\n",
            self.certificate.display(),
            self.key.display()
        )
    }
}

/// An encrypted connection.
pub(crate) struct Tls(StreamOwned<ClientConnection, TcpStream>);

impl Tls {
    /// What was agreed on.
    pub(crate) fn protocol(&self) -> Option<&[u8]> {
        self.0.conn.alpn_protocol()
    }

    /// Asks for health and reads the answer; the connection stays.
    pub(crate) fn exchange(&mut self) -> std::io::Result<()> {
        self.0
            .write_all(b"GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n")?;
        let mut said = Vec::new();
        while !said.ends_with(b"ok\n") {
            let mut byte = [0];
            self.0.read_exact(&mut byte)?;
            said.extend(byte);
        }
        assert!(said.starts_with(b"HTTP/1.1 200"));
        Ok(())
    }

    /// The stream of what is said in it.
    pub(crate) fn stream(&mut self) -> &mut (impl Read + Write + use<>) {
        &mut self.0
    }
}
