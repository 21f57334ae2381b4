//! The route table of the admin listener.

use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;

use http::Method;
use http::request::Parts;
use matchit::Params;

use colonnade_model::release::ReleaseId;
use colonnade_model::schema::{Integer, Name, Number, Version};
use colonnade_web::body::RequestBody;
use colonnade_web::health;
use colonnade_web::response::Response;
use colonnade_web::router::{Methods, Route};

use crate::audit::Caller;
use crate::garbage_collection::collect_garbage;
use crate::purge::purge;
use crate::{
    Admin, AdminError, deployments, events, gateway, history, openapi, previews, releases, rollback,
    rollouts, section_errors, section_logs, session, traffic,
};

/// A request for a handler of the API.
pub(crate) struct Call<'a> {
    pub(crate) caller: Caller<'a>,
    pub(crate) parameters: Parameters,
    pub(crate) head: &'a Parts,
    pub(crate) body: RequestBody,
}

/// The decoded parameters in the path; empty or 0 if the route has none.
#[derive(Default)]
pub(crate) struct Parameters {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) number: u64,
}

impl Parameters {
    /// The decoded parameters.
    pub(crate) fn parse(params: &Params<'_, '_>) -> Result<Self, AdminError> {
        let mut parameters = Self::default();
        for (key, value) in params.iter() {
            let text = value.to_owned();
            match key {
                "name" => Name(parameters.name) = text.try_into().map_err(AdminError::Parameter)?,
                "version" => Version(parameters.version) = text.try_into().map_err(AdminError::Parameter)?,
                _ => {
                    let number = text.parse().map_or(Integer(0), Integer);
                    let number = number
                        .try_into()
                        .map_err(|problem: &str| AdminError::Parameter(problem.to_owned()));
                    Number(parameters.number) = number?;
                }
            }
        }
        Ok(parameters)
    }
}

type HandlerFuture<'a> = Pin<Box<dyn Future<Output = Result<Response, AdminError>> + Send + 'a>>;

/// How a route serves a request.
pub(crate) enum Endpoint {
    /// Needs no token.
    Open(fn(&Admin) -> Result<Response, AdminError>),
    /// `GET /metrics`, which needs a token if other machines can reach the listener.
    Metrics,
    /// A file of the console, which needs no token.
    Console,
    /// Needs a known token.
    Api(for<'a> fn(&'a Arc<Admin>, Call<'a>) -> HandlerFuture<'a>),
}

/// All routes of the admin listener.
pub(crate) fn routes() -> impl Iterator<Item = Route<Endpoint>> {
    monitoring_routes()
        .into_iter()
        .chain(api_routes())
        .chain(console_routes())
}

fn monitoring_routes() -> [Route<Endpoint>; 4] {
    use Endpoint::{Metrics, Open};
    use Methods::Get;
    let route = Route::new;
    [
        route(Get, "/healthz", Open(|_| Ok(health::liveness()))),
        route(
            Get,
            "/readyz",
            Open(|admin| Ok(health::readiness(&admin.deployments.readiness(), &admin.shutdown))),
        ),
        route(Get, "/metrics", Metrics),
        route(Get, "/api/v1/openapi.json", Open(|_| Ok(openapi::respond()))),
    ]
}

fn api_routes() -> [Route<Endpoint>; 20] {
    use Endpoint::Api;
    use Methods::{Get, GetPost, GetPut, Post, PostDelete};
    let route = Route::new;
    let promote = || Api(|admin, call| Box::pin(rollouts::promote(&admin.deployments, call)));
    let abort = || Api(|admin, call| Box::pin(rollouts::abort(&admin.deployments, call)));
    let pause = || Api(|admin, call| Box::pin(rollouts::pause(&admin.deployments, call)));
    let resume = || Api(|admin, call| Box::pin(rollouts::resume(&admin.deployments, call)));
    let plan = || Api(|admin, call| Box::pin(rollback::plan(admin, call.caller, call.body)));
    let roll_back = || Api(|admin, call| Box::pin(rollback::roll_back(admin, call.caller, call.body)));
    [
        route(
            GetPut,
            "/api/v1/sections/{name}/releases/{version}",
            Api(|admin, call| {
                let Parameters { name, version, .. } = call.parameters;
                let id = ReleaseId { name, version };
                if call.head.method == Method::PUT {
                    Box::pin(releases::publish(admin, call.caller, id, call.body))
                } else {
                    Box::pin(releases::describe(&admin.deployments, id))
                }
            }),
        ),
        route(
            Get,
            "/api/v1/sections",
            Api(|admin, _| Box::pin(releases::list(admin))),
        ),
        route(
            Get,
            "/api/v1/sections/{name}/errors",
            Api(|admin, call| {
                let errors = section_errors::list(admin.deployments.diagnostics(), &call.parameters.name);
                Box::pin(ready(Ok(errors)))
            }),
        ),
        route(
            Get,
            "/api/v1/sections/{name}/logs",
            Api(|admin, call| Box::pin(section_logs::read(admin, call))),
        ),
        route(
            GetPost,
            "/api/v1/deployments",
            Api(|admin, call| {
                if call.head.method == Method::POST {
                    Box::pin(deployments::deploy(admin, call.caller, call.body))
                } else {
                    Box::pin(deployments::list(admin))
                }
            }),
        ),
        route(Post, "/api/v1/deployments/{number}/promote", promote()),
        route(Post, "/api/v1/deployments/{number}/abort", abort()),
        route(Post, "/api/v1/deployments/{number}/pause", pause()),
        route(Post, "/api/v1/deployments/{number}/resume", resume()),
        route(
            Get,
            "/api/v1/rollouts",
            Api(|admin, _| Box::pin(rollouts::list(admin))),
        ),
        route(Post, "/api/v1/rollouts/{name}/promote", promote()),
        route(Post, "/api/v1/rollouts/{name}/abort", abort()),
        route(Post, "/api/v1/rollouts/{name}/pause", pause()),
        route(Post, "/api/v1/rollouts/{name}/resume", resume()),
        route(Post, "/api/v1/rollback", roll_back()),
        route(Post, "/api/v1/rollback/plan", plan()),
        route(
            Get,
            "/api/v1/history",
            Api(|admin, call| Box::pin(history::list(&admin.deployments, call.head.uri.query()))),
        ),
        route(
            PostDelete,
            "/api/v1/previews",
            Api(|admin, call| {
                let (deployments, caller) = (&admin.deployments, call.caller);
                if call.head.method == Method::DELETE {
                    Box::pin(previews::end(deployments, caller))
                } else {
                    Box::pin(previews::create(deployments, &admin.origin, caller, call.body))
                }
            }),
        ),
        route(
            Post,
            "/api/v1/garbage-collection",
            Api(|admin, call| {
                let (deployments, retention) = (&admin.deployments, admin.retention);
                Box::pin(collect_garbage(deployments, retention, call.caller, call.body))
            }),
        ),
        route(
            Post,
            "/api/v1/upstreams/purge",
            Api(|admin, call| Box::pin(purge(&admin.purge_responses, call.caller, call.body))),
        ),
    ]
}

/// The console, and the calls that only it needs.
fn console_routes() -> [Route<Endpoint>; 6] {
    use Endpoint::{Api, Console};
    use Methods::{Get, GetPostDelete};
    let route = Route::new;
    [
        route(Get, "/console", Console),
        route(Get, "/console/{*file}", Console),
        route(
            GetPostDelete,
            "/api/v1/session",
            Api(|admin, call| Box::pin(ready(Ok(session::respond(admin, &call))))),
        ),
        route(
            Get,
            "/api/v1/events",
            Api(|admin, call| Box::pin(ready(events::stream(admin, &call)))),
        ),
        route(
            Get,
            "/api/v1/gateway",
            Api(|admin, _| Box::pin(ready(Ok(gateway::describe(admin))))),
        ),
        route(
            Get,
            "/api/v1/traffic",
            Api(|admin, call| {
                let diagnostics = admin.deployments.diagnostics();
                Box::pin(ready(traffic::read(diagnostics, call.head.uri.query())))
            }),
        ),
    ]
}
