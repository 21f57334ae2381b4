//! An operation of the admin listener: a method of a path, with its handler and its description.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;

use http::request::Parts;
use utoipa::__dev::{SchemaReferences, Tags};
use utoipa::openapi::path::{HttpMethod, Operation as Description};
use utoipa::openapi::{RefOr, Schema};

use colonnade_web::body::RequestBody;
use colonnade_web::response::Response;
use colonnade_web::router::Methods;

use crate::admin::Admin;
use crate::audit::{AuditCaller, Caller};
use crate::error::AdminError;
use crate::parameters::Parameters;

/// A request for a handler of the API.
pub(crate) struct Call<'a> {
    pub(crate) caller: Caller<'a>,
    pub(crate) parameters: Parameters,
    pub(crate) head: &'a Parts,
    pub(crate) body: RequestBody,
}

/// A request for a handler of a step of signing in.
pub(crate) struct SignInCall<'a> {
    pub(crate) head: &'a Parts,
    pub(crate) body: RequestBody,
    pub(crate) audit: &'a AuditCaller,
}

type HandlerFuture<'a> = Pin<Box<dyn Future<Output = Result<Response, AdminError>> + Send + 'a>>;

/// How an operation serves a request.
#[derive(Clone, Copy)]
pub(crate) enum Endpoint {
    /// Needs no token.
    Open(fn(&Admin) -> Response),
    /// A step of signing in, which needs no token.
    SignIn(for<'a> fn(&'a Arc<Admin>, SignInCall<'a>) -> HandlerFuture<'a>),
    /// `GET /metrics`, which needs a token if other machines can reach the listener.
    Metrics,
    /// A file of the console, which needs no token.
    Console,
    /// Needs a known token.
    Api(for<'a> fn(&'a Arc<Admin>, Call<'a>) -> HandlerFuture<'a>),
}

/// The name and the schema of each type that a description refers to.
pub(crate) type Schemas = Vec<(String, RefOr<Schema>)>;

/// A method of a path.
#[derive(Clone)]
pub(crate) struct Operation {
    pub(crate) path: Cow<'static, str>,
    pub(crate) method: HttpMethod,
    pub(crate) endpoint: Endpoint,
    /// The description; `None` for the files of the console, which are no calls.
    pub(crate) describe: Option<fn() -> (Description, Schemas)>,
}

impl Operation {
    /// The operation of a handler that has a description, as `utoipa-axum` finds it: `__path_` and
    /// the handler's name.
    pub(crate) fn of<P: utoipa::Path + SchemaReferences + Tags<'static>>(endpoint: Endpoint) -> Self {
        Self {
            path: P::path().into(),
            method: P::methods().pop().unwrap_or(HttpMethod::Get),
            endpoint,
            describe: Some(|| {
                let mut schemas = Schemas::new();
                P::schemas(&mut schemas);
                let mut description = P::operation();
                description.tags = Some(P::tags().into_iter().map(str::to_owned).collect());
                (description, schemas)
            }),
        }
    }

    /// A file of the console.
    pub(crate) fn console(path: &'static str) -> Self {
        Self {
            path: path.into(),
            method: HttpMethod::Get,
            endpoint: Endpoint::Console,
            describe: None,
        }
    }

    /// The methods that the operation serves.
    pub(crate) fn methods(&self) -> Methods {
        match self.method {
            HttpMethod::Post => Methods::POST,
            HttpMethod::Put => Methods::PUT,
            HttpMethod::Delete => Methods::DELETE,
            _ => Methods::GET,
        }
    }

    /// The same operation on the rollout of a section instead of a candidate.
    pub(crate) fn of_section(&self) -> Self {
        let path = self.path.replace("/deployments/{number}/", "/rollouts/{name}/");
        Self {
            path: path.into(),
            ..self.clone()
        }
    }
}
