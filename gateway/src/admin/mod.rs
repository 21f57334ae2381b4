//! The admin API: publishing, changing what is live, and looking at both.

mod auth;
mod changes;
mod collect;
mod deployments;
mod history;
mod openapi;
mod previews;
mod receive;
mod releases;
mod rollback;

use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;

use arc_swap::ArcSwap;
use http::{HeaderMap, Method};
use serde::de::DeserializeOwned;

use crate::config::{Action, Budget, Config, Keep, Origin, Token};
use crate::deployment::{ChangeError, Deployments, LoadError};
use crate::health::{self, Stopping};
use crate::metrics::Metrics;
use crate::pattern::RequestPath;
use crate::publish::PublishError;
use crate::reply::{Methods, Reply, Request, Route};
use crate::rescue::{Audience, Error, rescue};
use crate::store::{ReleaseId, StoreError};

/// Everything the admin listener answers from.
pub(crate) struct Admin {
    tokens: ArcSwap<Vec<Token>>,
    /// Whether others than this machine can reach the listener.
    is_exposed: bool,
    origin: Origin,
    keep: Keep,
    budget: Budget,
    deployments: Arc<Deployments>,
    metrics: Arc<Metrics>,
    stopping: Stopping,
}

/// Why an operator's request fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AdminError {
    #[error("this needs a known bearer token")]
    NoToken,
    #[error("the token `{token}` does not allow to {} `{section}`", action.name())]
    NotAllowed {
        token: String,
        action: Action,
        section: String,
    },
    #[error("the body is not what it should be: {0}")]
    Body(String),
    #[error("the query is not what it should be: {0}")]
    Query(String),
    #[error("the body has more than {0} bytes")]
    TooLarge(u64),
    #[error("the body stopped arriving")]
    Stalled,
    #[error("the body could not be written down: {0}")]
    Upload(#[source] io::Error),
    #[error(transparent)]
    Publish(#[from] PublishError),
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("there is no key to sign previews with")]
    NoKey,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Where a path of the admin listener leads.
enum Target<'a> {
    Alive,
    Ready,
    Metrics,
    OpenApi,
    Api(Call<'a>),
}

/// A call of the API, which needs a token.
enum Call<'a> {
    Release { name: &'a str, version: &'a str },
    Sections,
    Deployments,
    Promote(u64),
    Abort(u64),
    Rollback,
    History,
    Previews,
    Collect,
}

impl<'a> Target<'a> {
    fn of(path: &'a RequestPath) -> Option<Self> {
        if path.has_trailing_slash() {
            return None;
        }
        let names: Vec<&str> = path.segments().iter().map(String::as_str).collect();
        match names.as_slice() {
            ["healthz"] => Some(Self::Alive),
            ["readyz"] => Some(Self::Ready),
            ["metrics"] => Some(Self::Metrics),
            ["api", "v1", "openapi.json"] => Some(Self::OpenApi),
            ["api", "v1", rest @ ..] => Call::of(rest).map(Self::Api),
            _ => None,
        }
    }

    /// What the route is called, in the log and in the API's description.
    fn route(&self) -> &'static str {
        match self {
            Self::Alive => "/healthz",
            Self::Ready => "/readyz",
            Self::Metrics => "/metrics",
            Self::OpenApi => "/api/v1/openapi.json",
            Self::Api(call) => call.route(),
        }
    }

    fn methods(&self) -> Methods {
        match self {
            Self::Alive | Self::Ready | Self::Metrics | Self::OpenApi => Methods::Get,
            Self::Api(call) => call.methods(),
        }
    }
}

impl<'a> Call<'a> {
    fn of(names: &[&'a str]) -> Option<Self> {
        match *names {
            ["sections", name, "releases", version] => Some(Self::Release { name, version }),
            ["sections"] => Some(Self::Sections),
            ["deployments"] => Some(Self::Deployments),
            ["deployments", number, "promote"] => number.parse().ok().map(Self::Promote),
            ["deployments", number, "abort"] => number.parse().ok().map(Self::Abort),
            ["rollback"] => Some(Self::Rollback),
            ["history"] => Some(Self::History),
            ["previews"] => Some(Self::Previews),
            ["collect"] => Some(Self::Collect),
            _ => None,
        }
    }

    fn route(&self) -> &'static str {
        match self {
            Self::Release { .. } => "/api/v1/sections/{name}/releases/{version}",
            Self::Sections => "/api/v1/sections",
            Self::Deployments => "/api/v1/deployments",
            Self::Promote(_) => "/api/v1/deployments/{number}/promote",
            Self::Abort(_) => "/api/v1/deployments/{number}/abort",
            Self::Rollback => "/api/v1/rollback",
            Self::History => "/api/v1/history",
            Self::Previews => "/api/v1/previews",
            Self::Collect => "/api/v1/collect",
        }
    }

    fn methods(&self) -> Methods {
        match self {
            Self::Release { .. } => Methods::Put,
            Self::Deployments => Methods::GetPost,
            Self::Sections | Self::History => Methods::Get,
            Self::Promote(_) | Self::Abort(_) | Self::Rollback | Self::Collect => Methods::Post,
            Self::Previews => Methods::PostDelete,
        }
    }
}

impl Admin {
    /// The API for the holders of these tokens. `is_exposed` says that others than this machine can reach it.
    pub(crate) fn new(
        tokens: Vec<Token>,
        is_exposed: bool,
        config: &Config,
        deployments: Arc<Deployments>,
        metrics: Arc<Metrics>,
        stopping: Stopping,
    ) -> Self {
        Self {
            tokens: ArcSwap::from_pointee(tokens),
            is_exposed,
            origin: config.site.origin.clone(),
            keep: config.store.keep,
            budget: config.budget,
            deployments,
            metrics,
            stopping,
        }
    }

    /// From now on the API is for the holders of these tokens.
    pub(crate) fn renew(&self, tokens: Vec<Token>) {
        self.tokens.store(Arc::new(tokens));
    }

    /// Answers a request. What it changes is changed whole, also for an operator who leaves in the middle.
    pub(crate) async fn answer(self: Arc<Self>, request: Request) -> Reply {
        let answering = tokio::spawn(async move { self.respond(request).await });
        match answering.await {
            Ok(reply) => reply,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => rescue(&Error::Panic, Audience::Operator),
            },
        }
    }

    async fn respond(&self, request: Request) -> Reply {
        let path = RequestPath::parse(request.uri().path());
        let (reply, route) = match path.as_ref().map(Target::of) {
            Err(error) => (Err(Error::Path(*error)), "refused"),
            Ok(None) => (Err(Error::NotFound), "unmatched"),
            Ok(Some(target)) => {
                let route = target.route();
                (self.lead(target, request).await, route)
            }
        };
        let mut reply = reply.unwrap_or_else(|error| rescue(&error, Audience::Operator));
        reply.extensions_mut().insert(Route(route.into()));
        reply
    }

    async fn lead(&self, target: Target<'_>, request: Request) -> Result<Reply, Error> {
        if request.method() == Method::OPTIONS {
            return Ok(target.methods().options());
        }
        if !target.methods().allow(request.method()) {
            return Err(Error::Method(target.methods()));
        }
        match target {
            Target::Alive => Ok(health::alive()),
            Target::Metrics => Ok(self.count(request.headers())?),
            Target::Ready => Ok(health::ready(&self.deployments.current(), &self.stopping)),
            Target::OpenApi => Ok(openapi::answer()),
            Target::Api(call) => Ok(self.call(call, request).await?),
        }
    }

    /// What is counted: for anybody on this machine, and elsewhere for whom a token allows it.
    fn count(&self, headers: &HeaderMap) -> Result<Reply, AdminError> {
        if self.is_exposed {
            let tokens = self.tokens.load();
            let token = auth::token(&tokens, headers).ok_or(AdminError::NoToken)?;
            auth::require_some(token, Action::Metrics)?;
        }
        Ok(self.metrics.answer())
    }

    async fn call(&self, call: Call<'_>, request: Request) -> Result<Reply, AdminError> {
        let tokens = self.tokens.load_full();
        let token = auth::token(&tokens, request.headers()).ok_or(AdminError::NoToken)?;
        let deployments = &*self.deployments;
        let (head, body) = request.into_parts();
        match call {
            Call::Release { name, version } => {
                let id = ReleaseId {
                    name: name.to_owned(),
                    version: version.to_owned(),
                };
                releases::publish(deployments, &self.budget, token, id, body).await
            }
            Call::Sections => releases::list(deployments).await,
            Call::Deployments if head.method == Method::POST => {
                deployments::deploy(deployments, token, body).await
            }
            Call::Deployments => deployments::list(deployments).await,
            Call::Promote(number) => deployments::promote(deployments, token, number, body).await,
            Call::Abort(number) => deployments::abort(deployments, token, number, body).await,
            Call::Rollback => rollback::roll_back(deployments, token, body).await,
            Call::History => history::list(deployments, head.uri.query()).await,
            Call::Previews if head.method == Method::DELETE => previews::end(deployments, token).await,
            Call::Previews => previews::make(deployments, &self.origin, token, body).await,
            Call::Collect => collect::collect(deployments, self.keep, token, body).await,
        }
    }
}

/// Reads a JSON body.
fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, AdminError> {
    serde_json::from_slice(body).map_err(|error| AdminError::Body(error.to_string()))
}
