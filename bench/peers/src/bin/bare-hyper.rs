//! hyper alone: about the least that a gateway on hyper can cost. See `bench/README.md`.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Either, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use peers::{Options, install_tls_provider, read_files, read_headers};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;
type Answer = Response<Either<Full<Bytes>, Incoming>>;

/// The idle connections to the upstream, as many as nginx keeps.
const IDLE_CONNECTIONS: usize = 128;

struct Server {
    files: HashMap<String, (HeaderMap, Bytes)>,
    client: Client<HttpConnector, Incoming>,
    upstream: Option<Authority>,
    /// Headers that it adds to responses of the upstream.
    forwarded: HeaderMap,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let options = Options::read().ok_or("expected FOLDER PORT TLS_PORT CERTIFICATE KEY [UPSTREAM]")?;
    install_tls_provider();
    let tls = acceptor(&options)?;
    let [plain_listener, tls_listener] = [
        TcpListener::bind(&options.plain).await?,
        TcpListener::bind(&options.tls).await?,
    ];
    let server: &'static Server = Box::leak(Box::new(Server::new(&options)?));
    tokio::spawn(async move {
        while let Ok((stream, _)) = tls_listener.accept().await {
            let tls = tls.clone();
            tokio::spawn(async move {
                let _ = stream.set_nodelay(true);
                if let Ok(stream) = tls.accept(stream).await {
                    server.serve(stream).await;
                }
            });
        }
    });
    loop {
        let (stream, _) = plain_listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(server.serve(stream));
    }
}

fn acceptor(options: &Options) -> Outcome<TlsAcceptor> {
    let chain = CertificateDer::pem_file_iter(&options.certificate)?.collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_file(&options.key)?;
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn header_map(headers: Vec<(String, String)>) -> Outcome<HeaderMap> {
    let parsed = headers
        .iter()
        .map(|(name, value)| Ok((name.parse::<HeaderName>()?, value.parse::<HeaderValue>()?)));
    parsed.collect()
}

impl Server {
    fn new(options: &Options) -> Outcome<Self> {
        let mut files = HashMap::new();
        for (path, file) in read_files(Path::new(&options.folder))? {
            files.insert(path, (header_map(file.headers)?, file.body));
        }
        let forwarded = read_headers(&Path::new(&options.folder).join("forwarded.headers"))?;
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .build(connector);
        let upstream = options.upstream.as_deref().map(str::parse).transpose()?;
        Ok(Self {
            files,
            client,
            upstream,
            forwarded: header_map(forwarded.unwrap_or_default())?,
        })
    }

    async fn serve(&'static self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let service = service_fn(move |request| self.answer(request));
        // A client that closes its connection is no failure.
        let _ = auto::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), service)
            .await;
    }

    async fn answer(&self, request: Request<Incoming>) -> Outcome<Answer> {
        if let Some((headers, body)) = self.files.get(request.uri().path()) {
            let mut response = Response::new(Either::Left(Full::new(body.clone())));
            headers.clone_into(response.headers_mut());
            return Ok(response);
        }
        if !request.uri().path().starts_with("/api/") {
            let mut response = Response::new(Either::Left(Full::default()));
            *response.status_mut() = StatusCode::NOT_FOUND;
            return Ok(response);
        }
        match &self.upstream {
            Some(upstream) => self.forward(request, upstream.clone()).await,
            None => echo(request).await,
        }
    }

    async fn forward(&self, mut request: Request<Incoming>, upstream: Authority) -> Outcome<Answer> {
        let path = request
            .uri()
            .path_and_query()
            .cloned()
            .unwrap_or(PathAndQuery::from_static("/"));
        *request.uri_mut() = Uri::builder()
            .scheme(Scheme::HTTP)
            .authority(upstream)
            .path_and_query(path)
            .build()?;
        let headers = request.headers_mut();
        headers.remove(CONNECTION);
        headers.remove(HOST);
        headers.insert("x-forwarded-for", HeaderValue::from_static("127.0.0.1"));
        headers.insert("x-forwarded-proto", HeaderValue::from_static("http"));
        let mut response = self.client.request(request).await?;
        let headers = response.headers_mut();
        headers.remove(CONNECTION);
        headers.extend(self.forwarded.clone());
        Ok(response.map(Either::Right))
    }
}

/// The upstream of all servers: reads the request, and answers with a few bytes that must not be stored.
async fn echo(request: Request<Incoming>) -> Outcome<Answer> {
    request.into_body().collect().await?;
    let mut response = Response::new(Either::Left(Full::from(r#"{"ok":true}"#)));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
