//! The admin API: publish releases, change the live deployment, create previews, and read the state and the history.

mod auth;
mod change;
mod deployments;
mod error;
mod garbage_collection;
mod history;
mod metrics;
mod openapi;
mod previews;
mod query;
mod releases;
mod request_body;
mod rollback;
mod rollouts;
mod routes;
mod section_errors;
mod section_logs;

use std::borrow::Cow;
use std::panic::resume_unwind;
use std::sync::Arc;

use arc_swap::ArcSwap;
use http::HeaderMap;
use prometheus_client::registry::Registry;

use colonnade_config::{Action, Config, Origin, Retention, Token};
use colonnade_model::pattern::RequestPath;
use colonnade_platform::deployment::Deployments;
use colonnade_platform::publish::PublishRules;
use colonnade_web::health::{self, ShutdownSignal};
use colonnade_web::problem::{Audience, HttpError, respond};
use colonnade_web::response::{Request, Response, RouteName};
use colonnade_web::router::Router;

use routes::{Call, Endpoint, Parameters};

pub use error::AdminError;

/// The admin API of one gateway.
pub struct Admin {
    tokens: ArcSwap<Vec<Token>>,
    /// Whether other machines can reach the listener.
    is_exposed: bool,
    origin: Origin,
    retention: Retention,
    publish_rules: PublishRules,
    deployments: Arc<Deployments>,
    metrics: Arc<Registry>,
    shutdown: ShutdownSignal,
    router: Router<Endpoint>,
}

impl Admin {
    /// Creates the API. `is_exposed` says whether other machines can reach the listener; `/metrics` then needs a token.
    pub fn new(
        tokens: Vec<Token>,
        is_exposed: bool,
        config: &Config,
        deployments: Arc<Deployments>,
        metrics: Arc<Registry>,
        shutdown: ShutdownSignal,
    ) -> Self {
        Self {
            tokens: ArcSwap::from_pointee(tokens),
            is_exposed,
            origin: config.site.origin.clone(),
            retention: config.store.retention(),
            publish_rules: PublishRules {
                budget: config.budget.clone(),
                allow_wasm: config.assets.allow_wasm,
            },
            deployments,
            metrics,
            shutdown,
            router: Router::new(routes::routes()),
        }
    }

    /// Replaces all tokens, after the configuration was reloaded.
    pub fn set_tokens(&self, tokens: Vec<Token>) {
        self.tokens.store(Arc::new(tokens));
    }

    /// Handles a request in a task of its own, so that a change completes even if the client disconnects.
    ///
    /// # Panics
    ///
    /// Panics if the handler panics.
    pub async fn handle(self: Arc<Self>, request: Request) -> Response {
        let task = tokio::spawn(async move { self.respond(request).await });
        match task.await {
            Ok(response) => response,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => respond(&HttpError::Panic, Audience::Operator),
            },
        }
    }

    async fn respond(&self, request: Request) -> Response {
        let (result, route) = match RequestPath::parse(request.uri().path()) {
            Err(error) => (Err(AdminError::Path(error)), "invalid_request".into()),
            Ok(path) => self.route(&path, request).await,
        };
        let mut response = result.unwrap_or_else(|error| respond(&error, Audience::Operator));
        response.extensions_mut().insert(RouteName(route));
        response
    }

    /// Returns the response and the name of the route.
    async fn route(
        &self,
        path: &RequestPath,
        request: Request,
    ) -> (Result<Response, AdminError>, Cow<'static, str>) {
        let joined = format!("/{}", path.segments().join("/"));
        let found = self.router.find(&joined).and_then(|(route, parameters)| {
            let parameters = Parameters::parse(&parameters)?;
            Some((route, parameters))
        });
        match found {
            Some((route, parameters)) if !path.has_trailing_slash() => {
                let response = match route.methods.check(request.method()) {
                    Ok(None) => self.call(&route.handler, parameters, request).await,
                    Ok(Some(options)) => Ok(options),
                    Err(error) => Err(error.into()),
                };
                (response, route.name.clone())
            }
            _ => (Err(HttpError::NotFound.into()), "unmatched".into()),
        }
    }

    async fn call(
        &self,
        endpoint: &Endpoint,
        parameters: Parameters,
        request: Request,
    ) -> Result<Response, AdminError> {
        match endpoint {
            Endpoint::Open(handler) => handler(self, request.headers()),
            Endpoint::Api(handler) => {
                let tokens = self.tokens.load_full();
                let token = auth::authenticate(&tokens, request.headers())?;
                let (head, body) = request.into_parts();
                let call = Call {
                    token,
                    parameters,
                    head: &head,
                    body,
                };
                handler(self, call).await
            }
        }
    }

    /// `GET /readyz`
    fn readiness(&self) -> Response {
        let snapshot = self.deployments.current();
        let sections = snapshot.unavailable().map(|each| each.id.name.as_str());
        health::readiness(snapshot.live().is_some(), sections, &self.shutdown)
    }

    /// `GET /metrics`, without a token only if other machines cannot reach the listener.
    fn metrics(&self, headers: &HeaderMap) -> Result<Response, AdminError> {
        if self.is_exposed {
            let tokens = self.tokens.load();
            let token = auth::authenticate(&tokens, headers)?;
            auth::require_any_section(token, Action::Metrics)?;
        }
        Ok(metrics::respond(&self.metrics))
    }
}
