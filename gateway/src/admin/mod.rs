//! The admin API: publishing, deploying, and looking at both.

mod auth;
mod deployments;
mod receive;
mod releases;

use std::io;
use std::sync::Arc;

use http::Method;
use serde::de::DeserializeOwned;

use crate::config::{Action, Budget, Token};
use crate::deployment::{DeployError, Deployments};
use crate::health;
use crate::pattern::RequestPath;
use crate::publish::PublishError;
use crate::reply::{Methods, Reply, Request, Route};
use crate::rescue::{Audience, Error, rescue};
use crate::store::{ReleaseId, StoreError};

/// Everything the admin listener answers from.
pub(crate) struct Admin {
    tokens: Vec<Token>,
    budget: Budget,
    deployments: Arc<Deployments>,
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
    #[error("the body has more than {0} bytes")]
    TooLarge(u64),
    #[error("the body stopped arriving")]
    Stalled,
    #[error("the body could not be written down: {0}")]
    Upload(#[source] io::Error),
    #[error(transparent)]
    Publish(#[from] PublishError),
    #[error(transparent)]
    Deploy(#[from] DeployError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Where a path of the admin listener leads.
enum Target<'a> {
    Alive,
    Ready,
    Api(Call<'a>),
}

/// A call of the API, which needs a token.
enum Call<'a> {
    Release { name: &'a str, version: &'a str },
    Sections,
    Deployments,
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
            ["api", "v1", rest @ ..] => Call::of(rest).map(Self::Api),
            _ => None,
        }
    }

    fn route(&self) -> &'static str {
        match self {
            Self::Alive => "/healthz",
            Self::Ready => "/readyz",
            Self::Api(Call::Release { .. }) => "/api/v1/sections/:name/releases/:version",
            Self::Api(Call::Sections) => "/api/v1/sections",
            Self::Api(Call::Deployments) => "/api/v1/deployments",
        }
    }

    fn methods(&self) -> Methods {
        match self {
            Self::Api(Call::Release { .. }) => Methods::Put,
            Self::Api(Call::Deployments) => Methods::GetPost,
            Self::Alive | Self::Ready | Self::Api(Call::Sections) => Methods::Get,
        }
    }
}

impl<'a> Call<'a> {
    fn of(names: &[&'a str]) -> Option<Self> {
        match *names {
            ["sections", name, "releases", version] => Some(Self::Release { name, version }),
            ["sections"] => Some(Self::Sections),
            ["deployments"] => Some(Self::Deployments),
            _ => None,
        }
    }
}

impl Admin {
    /// The API for the holders of these tokens, who publish within this budget.
    pub(crate) fn new(tokens: Vec<Token>, budget: Budget, deployments: Arc<Deployments>) -> Self {
        Self {
            tokens,
            budget,
            deployments,
        }
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, request: Request) -> Reply {
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
        reply.extensions_mut().insert(Route(route.to_owned()));
        reply
    }

    async fn lead(&self, target: Target<'_>, request: Request) -> Result<Reply, Error> {
        if !target.methods().allow(request.method()) {
            return Err(Error::Method(target.methods()));
        }
        match target {
            Target::Alive => Ok(health::alive()),
            Target::Ready => Ok(health::ready(&self.deployments.current())),
            Target::Api(call) => Ok(self.call(call, request).await?),
        }
    }

    async fn call(&self, call: Call<'_>, request: Request) -> Result<Reply, AdminError> {
        let token = auth::token(&self.tokens, request.headers()).ok_or(AdminError::NoToken)?;
        let deployments = &*self.deployments;
        match call {
            Call::Release { name, version } => {
                let id = ReleaseId {
                    name: name.to_owned(),
                    version: version.to_owned(),
                };
                releases::publish(deployments, &self.budget, token, id, request.into_body()).await
            }
            Call::Sections => releases::list(deployments).await,
            Call::Deployments if *request.method() == Method::POST => {
                deployments::deploy(deployments, token, request.into_body()).await
            }
            Call::Deployments => deployments::list(deployments).await,
        }
    }
}

/// Reads a JSON body.
fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, AdminError> {
    serde_json::from_slice(body).map_err(|error| AdminError::Body(error.to_string()))
}
