//! The admin API: publish releases, change the live deployment, create previews, and read the state
//! and the history.

mod access;
mod access_list;
mod admin;
mod audit;
mod audit_page;
mod auth;
mod build_target;
mod change;
pub mod console;
mod deployments;
mod error;
mod events;
mod extensions;
mod fleet;
mod garbage_collection;
mod gateway;
mod health;
mod history;
mod member;
pub mod metrics;
mod openapi;
mod operation;
mod parameters;
mod previews;
mod purge;
mod query;
mod releases;
mod request_body;
mod rollback;
mod rollout;
mod rollouts;
mod routes;
mod section_errors;
mod section_logs;
mod session;
mod sessions;
mod sign_in;
mod source_map;
mod token_permits;
mod token_problem;
mod traffic;
mod trial;

use std::panic::resume_unwind;
use std::sync::{Arc, LazyLock};

use http::StatusCode;
use matchit::Params;

use colonnade_config::Action;
use colonnade_model::pattern::RequestPath;
use colonnade_web::body::RequestBody;
use colonnade_web::health::is_health_path;
use colonnade_web::problem::{Audience, HttpError, respond};
use colonnade_web::request::Head;
use colonnade_web::request_scope;
use colonnade_web::response::{Response, ServedBy};
use colonnade_web::router::Router;

use access::Identity;
use audit::{AuditCaller, AuditEvent};
use error::INVALID_REQUEST;
use operation::{Call, Endpoint, Operation, SignInCall};
use parameters::Parameters;
use sessions::Session;

pub use admin::{Admin, AdminParts, PurgeResponses};
pub use error::AdminError;
pub use member::{Process, ReadProcess};
pub use token_problem::TokenProblem;

/// The route of requests that match none.
const UNMATCHED: &str = "unmatched";

/// The path of the console.
const CONSOLE: &str = "/console";

static ROUTER: LazyLock<Router<Vec<Operation>>> = LazyLock::new(|| Router::new(routes::routes()));

impl Admin {
    /// Handles a request in a task of its own, so that a change completes even if the client
    /// disconnects.
    ///
    /// # Panics
    ///
    /// Panics if the handler panics.
    pub async fn handle(self: Arc<Self>, head: Head, body: RequestBody) -> Response {
        let task = request_scope::spawn(async move { self.respond(head, body).await });
        match task.await {
            Ok(response) => response,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => respond(&HttpError::Panic, Audience::Operator),
            },
        }
    }

    /// Logs a request that the listener refused before it reached the API.
    pub fn log_refused(&self, head: &Head, status: StatusCode) {
        let mut event = self.audit_event(head);
        event.route = INVALID_REQUEST.into();
        event.status = status;
        event.cause = Some(INVALID_REQUEST);
    }

    /// The event of a request without a response: the gateway stopped before it was complete.
    fn audit_event(&self, head: &Head) -> AuditEvent {
        AuditEvent {
            // Health checks are no calls of the API.
            is_logged: !is_health_path(head.uri.path()),
            method: head.method.clone(),
            client_ip: self.log_client_ip.then_some(head.client.address),
            caller: AuditCaller::default(),
            events: Arc::clone(&self.events),
            route: UNMATCHED.into(),
            status: StatusCode::SERVICE_UNAVAILABLE,
            cause: Some("interrupted"),
        }
    }

    async fn respond(self: &Arc<Self>, head: Head, body: RequestBody) -> Response {
        let mut event = self.audit_event(&head);
        let result = match RequestPath::parse(head.uri.path()) {
            Err(error) => {
                event.route = INVALID_REQUEST.into();
                Err(AdminError::Path(error))
            }
            Ok(path) => self.route(&path, (&head, body), &mut event).await,
        };
        event.cause = result.as_ref().err().map(AdminError::cause);
        // `admin_client_rate_limited` says so, once a minute: a loop of wrong tokens fills no log.
        event.is_logged &= !matches!(result, Err(AdminError::TooManyFailures(_)));
        if let Some(cause) = event.cause {
            self.auth_metrics.record(cause);
        }
        let mut response = result.unwrap_or_else(|error| respond(&error, Audience::Operator));
        event.status = response.status();
        ServedBy::of(&mut response).route = Some(event.route.clone());
        event.complete().await;
        response
    }

    /// Calls the route of a path, and records it in `event`.
    async fn route(
        self: &Arc<Self>,
        path: &RequestPath,
        request: (&Head, RequestBody),
        event: &mut AuditEvent,
    ) -> Result<Response, AdminError> {
        match ROUTER.find(path.decoded()) {
            // A person types the address of the console.
            Some((route, parameters)) if !path.has_trailing_slash() || path.decoded() == CONSOLE => {
                event.route = route.name.clone();
                let method = &request.0.method;
                let mut operations = route.handler.iter();
                if let Some(operation) = operations.find(|operation| operation.methods().allow(method)) {
                    self.call(operation.endpoint, &parameters, request, event).await
                } else {
                    let options = route.methods.check(method)?;
                    options.ok_or_else(|| HttpError::NotFound.into())
                }
            }
            _ => Err(HttpError::NotFound.into()),
        }
    }

    async fn call(
        self: &Arc<Self>,
        endpoint: Endpoint,
        parameters: &Params<'_, '_>,
        request: (&Head, RequestBody),
        event: &mut AuditEvent,
    ) -> Result<Response, AdminError> {
        let (head, body) = request;
        let client = head.client.key();
        let client_ip = event.client_ip;
        let refused = |problem| self.failure_limiters.refuse(client, client_ip, problem);
        match endpoint {
            Endpoint::Open(handler) => Ok(handler(self)),
            Endpoint::Console => {
                // Public files, and no call of the API.
                event.is_logged = false;
                self.console
                    .respond(parameters.get("file").unwrap_or_default(), &head.headers)
            }
            Endpoint::Metrics => {
                // Without a token only if other machines cannot reach the listener.
                if self.is_exposed {
                    let caller = self.authenticate(head, event).await;
                    let (identity, _) = caller.map_err(refused)?;
                    auth::require_any_section(&identity, Action::Metrics)?;
                }
                Ok(metrics::respond(&self.metrics, &head.headers).await)
            }
            Endpoint::SignIn(handler) => {
                self.failure_limiters.check(client, client_ip)?;
                let call = SignInCall {
                    head,
                    body,
                    audit: &event.caller,
                };
                let outcome = handler(self, call).await;
                outcome.map_err(|error| match error {
                    AdminError::Unauthorized(problem) => {
                        self.failure_limiters.limit(client, client_ip, problem)
                    }
                    error => error,
                })
            }
            Endpoint::Api(handler) => {
                let caller = self.authenticate(head, event).await;
                let parameters = Parameters::parse(parameters);
                if let Ok(parameters) = &parameters
                    && (caller.is_ok() || self.is_live(&parameters.name))
                {
                    event.caller.set_path_target(parameters);
                }
                let (identity, session) = caller.map_err(refused)?;
                let call = Call {
                    caller: event.caller.known(&identity, session.as_ref()),
                    parameters: parameters?,
                    head,
                    body,
                };
                handler(self, call).await
            }
        }
    }

    async fn authenticate(
        &self,
        head: &Head,
        event: &AuditEvent,
    ) -> Result<(Identity, Option<Session>), TokenProblem> {
        let access = self.access.load_full();
        auth::authenticate(&access, &self.sessions, head, &event.caller).await
    }
}
