//! An S3 server on a loopback port, with faults, for tests. The server is `s3s-fs`, which keeps its
//! objects in a folder.
//!
//! It makes up for two gaps of `s3s-fs`: conditions of concurrent writes are atomic, and reads
//! honor `If-None-Match`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ETAG, IF_NONE_MATCH, LOCATION};
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{Body, HttpResponse};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{RwLock, oneshot};

/// The ID of the only access key.
pub const ACCESS_KEY_ID: &str = "AKIDFORTESTS";

/// The secret of the only access key.
pub const SECRET_ACCESS_KEY: &str = "the-secret-of-the-access-key";

/// The only bucket.
pub const BUCKET: &str = "releases";

/// The time that a hanging server keeps a request: longer than any client waits.
const HANG: Duration = Duration::from_mins(5);

/// What is wrong with the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Connections are closed at once, as if the server were away.
    Away,
    /// Every response has this status and error code.
    Error(u16, &'static str),
    /// Writes have this status and error code, but take effect.
    ErrorAfterWrite(u16, &'static str),
    /// Writes of objects whose path ends like this have this status and error code, and no effect.
    ErrorInPlaceOfWrite(u16, &'static str, &'static str),
    /// Reads of objects whose path contains this have this status and error code.
    ErrorInPlaceOfRead(u16, &'static str, &'static str),
    /// Reads have status 200, and an error with this code in place of the object.
    ErrorBody(&'static str),
    /// Lists have this status and error code.
    ErrorInPlaceOfList(u16, &'static str),
    /// Requests are redirected to the server with this address, with status 307.
    Redirect(SocketAddr),
    /// Requests are not answered.
    Hang,
    /// Reads of objects whose path ends like this are not answered.
    HangInPlaceOfRead(&'static str),
    /// Responses have no `ETag`, as behind some proxies.
    NoEtags,
    /// Writes succeed even if this condition is not met: `If-Match` or `If-None-Match`.
    Ignore(&'static str),
}

/// A running server. Dropping it stops it.
#[derive(Debug)]
pub struct S3Server {
    address: SocketAddr,
    folder: TempDir,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    fault: Mutex<Option<Fault>>,
    /// The time before each response.
    latency: Mutex<Duration>,
    /// The numbers of requests, by method and path.
    requests: Mutex<BTreeMap<(String, String), usize>>,
    /// Held exclusively during writes.
    writing: RwLock<()>,
}

impl S3Server {
    /// Starts the server with an empty bucket, on a thread of its own.
    ///
    /// # Panics
    /// If the server cannot be started.
    pub fn start() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        std::fs::create_dir(folder.path().join(BUCKET)).expect("the folder is writable");
        let mut builder = S3ServiceBuilder::new(FileSystem::new(folder.path()).expect("the folder exists"));
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY_ID, SECRET_ACCESS_KEY));
        let service = builder.build();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("the address of the listener");
        listener
            .set_nonblocking(true)
            .expect("a listener without blocking");
        let shared = Arc::new(Shared::default());
        let (stop, stopped) = oneshot::channel();
        let server = Arc::clone(&shared);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async move {
                let listener = TcpListener::from_std(listener).expect("a listener");
                tokio::select! {
                    () = accept(listener, service, server) => {}
                    _ = stopped => {}
                }
            });
        });
        Self {
            address,
            folder,
            shared,
            stop: Some(stop),
        }
    }

    /// The URL of the server.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Makes the server fail from now on, or not any more.
    pub fn set_fault(&self, fault: impl Into<Option<Fault>>) {
        *self.shared.fault.lock() = fault.into();
    }

    /// Delays each response from now on.
    pub fn set_latency(&self, latency: Duration) {
        *self.shared.latency.lock() = latency;
    }

    /// The number of requests with this method whose path ends like this.
    pub fn requests(&self, method: &str, path: &str) -> usize {
        let requests = self.shared.requests.lock();
        let counts = requests
            .iter()
            .filter(|((m, p), _)| m == method && p.ends_with(path));
        counts.map(|(_, count)| count).sum()
    }

    /// The number of requests with this method whose path contains this.
    pub fn requests_below(&self, method: &str, part: &str) -> usize {
        let requests = self.shared.requests.lock();
        let counts = requests
            .iter()
            .filter(|((m, p), _)| m == method && p.contains(part));
        counts.map(|(_, count)| count).sum()
    }

    /// The file with an object, to damage or delete it by hand.
    pub fn object(&self, key: &str) -> PathBuf {
        self.folder.path().join(BUCKET).join(key)
    }

    /// Replaces or creates an object, as an operator does. Readers get all of it with its entity
    /// tag, or what was there before.
    ///
    /// # Panics
    /// If the object cannot be written.
    pub fn replace(&self, key: &str, bytes: &[u8]) {
        // `s3s-fs` opens an object, and computes its entity tag from the file that has its name
        // then. On another thread, because the caller can be in a runtime, whose threads must not
        // wait for this lock.
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _writing = self.shared.writing.blocking_write();
                self.write(key, bytes);
            });
        });
    }

    fn write(&self, key: &str, bytes: &[u8]) {
        let (object, new) = (self.object(key), self.folder.path().join("new"));
        std::fs::create_dir_all(object.parent().expect("a key is below the bucket"))
            .expect("the bucket is writable");
        std::fs::write(&new, bytes).expect("the folder is writable");
        std::fs::rename(&new, object).expect("the object is writable");
        // `s3s-fs` keeps entity tags beside the objects. Without these files it computes them.
        for entry in std::fs::read_dir(self.folder.path()).expect("the folder exists") {
            let path = entry.expect("the folder is readable").path();
            if path.to_string_lossy().ends_with(".internal.json") {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

async fn accept(listener: TcpListener, service: S3Service, shared: Arc<Shared>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let (service, shared) = (service.clone(), Arc::clone(&shared));
        tokio::spawn(serve(stream, service, shared));
    }
}

async fn serve(stream: TcpStream, service: S3Service, shared: Arc<Shared>) {
    if *shared.fault.lock() == Some(Fault::Away) {
        return;
    }
    let answer = service_fn(|request| {
        let (service, shared) = (service.clone(), Arc::clone(&shared));
        async move { answer(request, service, shared).await }
    });
    // Clients close connections.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), answer)
        .await;
}

/// The server is away: the connection is closed without a response.
#[derive(Debug)]
struct Closed;

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("closed by the test")
    }
}

impl std::error::Error for Closed {}

async fn answer(
    request: Request<Incoming>,
    service: S3Service,
    shared: Arc<Shared>,
) -> Result<HttpResponse, Closed> {
    let fault = *shared.fault.lock();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let is_write = method == Method::PUT;
    let is_list = request
        .uri()
        .query()
        .is_some_and(|query| query.contains("list-type="));
    let key = (method.to_string(), path.clone());
    *shared.requests.lock().entry(key).or_default() += 1;
    match fault {
        Some(Fault::ErrorInPlaceOfWrite(status, code, end)) if is_write && path.ends_with(end) => {
            return Ok(error(status, code));
        }
        Some(Fault::ErrorInPlaceOfRead(status, code, part))
            if method == Method::GET && path.contains(part) =>
        {
            return Ok(error(status, code));
        }
        Some(Fault::ErrorInPlaceOfList(status, code)) if is_list => return Ok(error(status, code)),
        Some(Fault::Away) => return Err(Closed),
        Some(Fault::Error(status, code)) => return Ok(error(status, code)),
        Some(Fault::ErrorBody(code)) if method == Method::GET => return Ok(error(200, code)),
        Some(Fault::Redirect(address)) => return Ok(redirect(address, request.uri())),
        Some(Fault::Hang) => tokio::time::sleep(HANG).await,
        Some(Fault::HangInPlaceOfRead(end)) if method == Method::GET && path.ends_with(end) => {
            tokio::time::sleep(HANG).await;
        }
        _ => {}
    }
    let latency = *shared.latency.lock();
    tokio::time::sleep(latency).await;
    let known = request.headers().get(IF_NONE_MATCH).cloned();
    let is_ignored = matches!(fault, Some(Fault::Ignore(name)) if request.headers().contains_key(name));
    let mut response = if method == Method::GET {
        let _reading = shared.writing.read().await;
        call(service, request).await
    } else {
        let _writing = shared.writing.write().await;
        call(service, request).await
    };
    let etag = response.headers().get(ETAG);
    if method == Method::GET && known.is_some() && etag == known.as_ref() {
        return Ok(unchanged(known));
    }
    match fault {
        Some(Fault::Ignore(_)) if is_ignored => {
            *response.status_mut() = StatusCode::OK;
            response
                .headers_mut()
                .insert(ETAG, HeaderValue::from_static("\"ignored\""));
        }
        Some(Fault::NoEtags) => drop(response.headers_mut().remove(ETAG)),
        Some(Fault::ErrorAfterWrite(status, code)) if is_write => return Ok(error(status, code)),
        _ => {}
    }
    Ok(response)
}

async fn call(service: S3Service, request: Request<Incoming>) -> HttpResponse {
    let called = hyper::service::Service::call(&service, request).await;
    called.unwrap_or_else(|_| error(500, "InternalError"))
}

fn unchanged(etag: Option<HeaderValue>) -> HttpResponse {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response.headers_mut().extend(etag.map(|etag| (ETAG, etag)));
    response
}

fn redirect(address: SocketAddr, target: &Uri) -> HttpResponse {
    let mut response = error(307, "TemporaryRedirect");
    let location = format!("http://{address}{target}");
    let location = HeaderValue::from_str(&location).expect("an address and a target are visible ASCII");
    response.headers_mut().insert(LOCATION, location);
    response
}

/// An error as S3 sends it, with an access key ID that must not get into a log.
fn error(status: u16, code: &str) -> HttpResponse {
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>{code}</Code><Message>A message.</Message>\
         <AWSAccessKeyId>{ACCESS_KEY_ID}</AWSAccessKeyId></Error>"
    );
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    // Clients need these headers of an object.
    let headers = response.headers_mut();
    headers.insert(ETAG, HeaderValue::from_static("\"error\""));
    headers.insert(
        "last-modified",
        HeaderValue::from_static("Tue, 24 Nov 2026 00:00:00 GMT"),
    );
    response
}
