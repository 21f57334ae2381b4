//! The client of the object store, with a network that loses and delays.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::DateTime;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _};
use object_store::client::{HttpError, HttpErrorKind};
use object_store::path::Path;
use object_store::{
    Attributes, CopyOptions, Error, Extensions, GetOptions, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result,
};
use rand::RngExt as _;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until};

use crate::bucket::{Condition, Reply, Request, StoredObject};
use crate::world::World;

/// When the client gives up.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How long a request can be on its way after the client has given up, in milliseconds.
const LATEST_MS: u64 = 25_000;

/// The way of one gateway to the bucket.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) world: Arc<World>,
    /// The number of the gateway.
    pub(crate) gateway: usize,
    /// Whether it leads to the replica.
    pub(crate) to_replica: bool,
}

/// What the network does with a request. Times are in milliseconds.
enum Fate {
    /// It takes effect after this time, and the response takes this long.
    Delivered { there: u64, back: u64 },
    /// It never arrives.
    Lost,
    /// It takes effect, and the response never arrives.
    NoResponse { there: u64 },
    /// It takes effect after the client has given up.
    Late { there: u64 },
    /// The object store is overloaded.
    Refused { there: u64 },
    /// It takes effect twice: the client gets an error for the first time, and repeats it.
    Repeated { first: u64, second: u64 },
}

impl Link {
    fn fate(&self, request: &Request) -> Fate {
        let mut rng = self.world.rng.lock();
        let there = rng.random_range(1..20);
        let back = rng.random_range(1..20);
        if rng.random_range(0..1000) >= self.world.trouble() {
            return Fate::Delivered { there, back };
        }
        let late = rng.random_range(5000..LATEST_MS);
        match rng.random_range(0..6) {
            0 => Fate::Lost,
            1 => Fate::NoResponse { there },
            2 if request.is_write() => Fate::Late { there: late },
            3 => Fate::Refused { there },
            4 if request.is_write() => Fate::Repeated {
                // A request of which the client knows nothing can be slower than its repetition.
                first: if request.is_idempotent() && rng.random() {
                    late
                } else {
                    there
                },
                second: there + 100,
            },
            _ => Fate::Delivered {
                there: rng.random_range(20..4000),
                back: rng.random_range(1..900),
            },
        }
    }

    async fn send(&self, request: Request) -> Result<Reply> {
        let world = &self.world;
        let start = Instant::now();
        if world.is_cut(self.gateway) {
            let wait = world.rng.lock().random_range(50..3000);
            sleep(Duration::from_millis(wait)).await;
            return Err(failed(HttpErrorKind::Connect));
        }
        let (reply, back) = match self.fate(&request) {
            Fate::Delivered { there, back } => (self.deliver(request, there).await, back),
            Fate::Lost => {
                world.trace.add(self, format_args!("{request}: lost"));
                (None, 0)
            }
            Fate::NoResponse { there } => {
                world.trace.add(self, format_args!("{request}: no response"));
                drop(self.deliver(request, there).await);
                (None, 0)
            }
            Fate::Late { there } => {
                world
                    .trace
                    .add(self, format_args!("{request}: late by {there} ms"));
                self.start(request, there);
                (None, 0)
            }
            Fate::Refused { there } => {
                world.trace.add(self, format_args!("{request}: refused"));
                sleep(Duration::from_millis(there)).await;
                return Err(Error::Generic {
                    store: "S3",
                    source: "Server returned non-2xx status code: 503".into(),
                });
            }
            Fate::Repeated { first, second } => {
                world.trace.add(self, format_args!("{request}: repeated"));
                self.start(request.clone(), first);
                (self.deliver(request, second).await, 1)
            }
        };
        sleep(Duration::from_millis(back)).await;
        if let Some(reply) = reply
            && !world.is_cut(self.gateway)
        {
            return Ok(reply);
        }
        sleep_until(start + TIMEOUT).await;
        Err(failed(HttpErrorKind::Timeout))
    }

    /// Sends a request that takes effect after this time, whatever happens to the gateway.
    fn start(&self, request: Request, after: u64) -> oneshot::Receiver<Reply> {
        let (sender, receiver) = oneshot::channel();
        let link = self.clone();
        tokio::spawn(async move {
            sleep(Duration::from_millis(after)).await;
            let _ = sender.send(link.world.apply(&link, &request));
        });
        receiver
    }

    async fn deliver(&self, request: Request, after: u64) -> Option<Reply> {
        if request.is_write() {
            assert!(!self.to_replica, "{self} writes to the replica: {request}");
            return self.start(request, after).await.ok();
        }
        sleep(Duration::from_millis(after)).await;
        if self.to_replica {
            return Some(self.world.apply_to_replica(self, &request));
        }
        Some(self.world.apply(self, &request))
    }
}

fn failed(kind: HttpErrorKind) -> Error {
    let source = HttpError::new(kind, io::Error::from(io::ErrorKind::TimedOut));
    Error::Generic {
        store: "S3",
        source: Box::new(source),
    }
}

fn refused(path: &Path, reply: &Reply) -> Error {
    let (path, source) = (path.to_string(), reply.to_string().into());
    match reply {
        Reply::AlreadyExists => Error::AlreadyExists { path, source },
        Reply::PreconditionFailed => Error::Precondition { path, source },
        Reply::NotModified => Error::NotModified { path, source },
        _ => Error::NotFound { path, source },
    }
}

fn meta(location: Path, object: &StoredObject) -> ObjectMeta {
    ObjectMeta {
        location,
        last_modified: DateTime::from_timestamp(object.written_at.as_second(), 0).unwrap(),
        size: object.bytes.len() as u64,
        e_tag: Some(object.etag.clone()),
        version: None,
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("g{}", self.gateway))
    }
}

#[async_trait]
impl ObjectStore for Link {
    async fn put_opts(&self, location: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        let condition = match options.mode {
            PutMode::Overwrite => Condition::Always,
            PutMode::Create => Condition::IfAbsent,
            PutMode::Update(version) => Condition::IfVersion(version.e_tag.unwrap_or_default()),
        };
        let request = Request::Put {
            key: location.to_string(),
            bytes: Bytes::from(payload),
            condition,
        };
        match self.send(request).await? {
            Reply::Written { etag } => Ok(PutResult {
                e_tag: Some(etag),
                version: None,
                extensions: Extensions::new(),
            }),
            reply => Err(refused(location, &reply)),
        }
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let request = Request::Get {
            key: location.to_string(),
            unless: options.if_none_match,
        };
        match self.send(request).await? {
            Reply::Object(object) => Ok(GetResult {
                meta: meta(location.clone(), &object),
                range: 0..object.bytes.len() as u64,
                payload: GetResultPayload::Stream(stream::iter([Ok(object.bytes)]).boxed()),
                attributes: Attributes::new(),
                extensions: Extensions::new(),
            }),
            reply => Err(refused(location, &reply)),
        }
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let link = self.clone();
        let deletes = locations.then(move |location| {
            let link = link.clone();
            async move {
                let location = location?;
                let key = location.to_string();
                link.send(Request::Delete { key }).await.map(|_| location)
            }
        });
        deletes.boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let prefix = prefix.map(|prefix| format!("{prefix}/")).unwrap_or_default();
        let prefix = if prefix == "/" { String::new() } else { prefix };
        let link = self.clone();
        let listed = async move {
            match link.send(Request::List { prefix }).await {
                Ok(Reply::Listed(listed)) => listed
                    .iter()
                    .map(|(key, object)| Ok(meta(Path::from(key.as_str()), object)))
                    .collect(),
                Ok(_) => Vec::new(),
                Err(error) => vec![Err(error)],
            }
        };
        listed.map(stream::iter).flatten_stream().boxed()
    }

    async fn put_multipart_opts(&self, _: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        unreachable!("the store never uploads in parts")
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        unreachable!("the store lists all objects below a prefix")
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        unreachable!("the store never copies objects")
    }
}
