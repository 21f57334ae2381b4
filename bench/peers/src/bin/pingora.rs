//! Pingora with the least code: files from memory, and requests below `/api/` to the upstream. See `bench/README.md`.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use async_trait::async_trait;
use bytes::Bytes;
use peers::{Options, install_tls_provider, read_files};
use pingora::http::ResponseHeader;
use pingora::listeners::tls::TlsSettings;
use pingora::proxy::{ProxyHttp, Session, http_proxy_service};
use pingora::server::Server;
use pingora::server::configuration::ServerConf;
use pingora::upstreams::peer::HttpPeer;

/// How long an idle connection stays open, in seconds.
const KEEP_ALIVE: u64 = 60;

/// The idle connections to the upstream, as many as nginx keeps.
const IDLE_CONNECTIONS: usize = 128;

struct Proxy {
    files: HashMap<String, (ResponseHeader, Bytes)>,
    upstream: String,
}

#[async_trait]
impl ProxyHttp for Proxy {
    type CTX = ();

    fn new_ctx(&self) {}

    async fn request_filter(&self, session: &mut Session, (): &mut ()) -> pingora::Result<bool> {
        let Some((headers, body)) = self.files.get(session.req_header().uri.path()) else {
            return Ok(false);
        };
        session.set_keepalive(Some(KEEP_ALIVE));
        session
            .write_response_header(Box::new(headers.clone()), false)
            .await?;
        session.write_response_body(Some(body.clone()), true).await?;
        Ok(true)
    }

    async fn upstream_peer(&self, _: &mut Session, (): &mut ()) -> pingora::Result<Box<HttpPeer>> {
        Ok(Box::new(HttpPeer::new(
            self.upstream.as_str(),
            false,
            String::new(),
        )))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read().ok_or("expected FOLDER PORT TLS_PORT CERTIFICATE KEY UPSTREAM")?;
    install_tls_provider();
    let mut files = HashMap::new();
    for (path, file) in read_files(Path::new(&options.folder))? {
        let mut headers = ResponseHeader::build(200, None)?;
        for (name, value) in file.headers {
            headers.insert_header(name, value)?;
        }
        files.insert(path, (headers, file.body));
    }
    let conf = ServerConf {
        threads: std::thread::available_parallelism()?.get(),
        upstream_keepalive_pool_size: IDLE_CONNECTIONS,
        ..ServerConf::default()
    };
    let mut server = Server::new_with_opt_and_conf(None, conf);
    server.bootstrap();
    let upstream = options.upstream.ok_or("expected an upstream")?;
    let mut service = http_proxy_service(&server.configuration, Proxy { files, upstream });
    service.add_tcp(&options.plain);
    let mut tls = TlsSettings::intermediate(&options.certificate, &options.key)?;
    tls.enable_h2();
    service.add_tls_with_settings(&options.tls, None, tls);
    server.add_service(service);
    server.run_forever()
}
