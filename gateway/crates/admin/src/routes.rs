//! The route table of the admin listener.

use std::future::ready;
use std::pin::Pin;

use http::request::Parts;
use http::{HeaderMap, Method};
use matchit::Params;

use colonnade_config::Token;
use colonnade_model::release::ReleaseId;
use colonnade_web::body::RequestBody;
use colonnade_web::health;
use colonnade_web::response::Response;
use colonnade_web::router::{Methods, Route};

use crate::garbage_collection::collect_garbage;
use crate::{
    Admin, AdminError, deployments, history, openapi, previews, releases, rollback, rollouts, section_errors,
    section_logs,
};

/// A request for a handler of the API.
pub(crate) struct Call<'a> {
    pub(crate) token: &'a Token,
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
    /// Returns `None` if a number is invalid.
    pub(crate) fn parse(params: &Params<'_, '_>) -> Option<Self> {
        let text = |name| params.get(name).unwrap_or_default().to_owned();
        Some(Self {
            name: text("name"),
            version: text("version"),
            number: params
                .get("number")
                .map_or(Some(0), |number| number.parse().ok())?,
        })
    }
}

type HandlerFuture<'a> = Pin<Box<dyn Future<Output = Result<Response, AdminError>> + Send + 'a>>;

/// How a route serves a request.
pub(crate) enum Endpoint {
    /// Needs no token, or checks it itself.
    Open(fn(&Admin, &HeaderMap) -> Result<Response, AdminError>),
    /// Needs a known token.
    Api(for<'a> fn(&'a Admin, Call<'a>) -> HandlerFuture<'a>),
}

/// All routes of the admin listener.
pub(crate) fn routes() -> [Route<Endpoint>; 17] {
    use Endpoint::{Api, Open};
    use Methods::{Get, GetPost, Post, PostDelete, Put};
    let route = Route::new;
    let promote = || Api(|admin, call| Box::pin(rollouts::promote(&admin.deployments, call)));
    let abort = || Api(|admin, call| Box::pin(rollouts::abort(&admin.deployments, call)));
    [
        route(Get, "/healthz", Open(|_, _| Ok(health::liveness()))),
        route(
            Get,
            "/readyz",
            Open(|admin, _| {
                let readiness = admin.deployments.readiness();
                Ok(health::readiness(readiness, &admin.shutdown))
            }),
        ),
        route(Get, "/metrics", Open(Admin::metrics)),
        route(Get, "/api/v1/openapi.json", Open(|_, _| Ok(openapi::respond()))),
        route(
            Put,
            "/api/v1/sections/{name}/releases/{version}",
            Api(|admin, call| {
                let Parameters { name, version, .. } = call.parameters;
                let id = ReleaseId { name, version };
                let (deployments, rules) = (&admin.deployments, admin.publish_rules.clone());
                Box::pin(releases::publish(deployments, rules, call.token, id, call.body))
            }),
        ),
        route(
            Get,
            "/api/v1/sections",
            Api(|admin, _| Box::pin(releases::list(&admin.deployments))),
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
            Api(|admin, call| {
                Box::pin(section_logs::read(
                    admin.deployments.diagnostics(),
                    admin.shutdown.clone(),
                    call.token,
                    call.parameters.name,
                    call.head.uri.query(),
                ))
            }),
        ),
        route(
            GetPost,
            "/api/v1/deployments",
            Api(|admin, call| {
                if call.head.method == Method::POST {
                    Box::pin(deployments::deploy(admin, call.token, call.body))
                } else {
                    Box::pin(deployments::list(admin))
                }
            }),
        ),
        route(Post, "/api/v1/deployments/{number}/promote", promote()),
        route(Post, "/api/v1/deployments/{number}/abort", abort()),
        route(Post, "/api/v1/rollouts/{name}/promote", promote()),
        route(Post, "/api/v1/rollouts/{name}/abort", abort()),
        route(
            Post,
            "/api/v1/rollback",
            Api(|admin, call| Box::pin(rollback::roll_back(admin, call.token, call.body))),
        ),
        route(
            Get,
            "/api/v1/history",
            Api(|admin, call| Box::pin(history::list(&admin.deployments, call.head.uri.query()))),
        ),
        route(
            PostDelete,
            "/api/v1/previews",
            Api(|admin, call| {
                let (deployments, token) = (&admin.deployments, call.token);
                if call.head.method == Method::DELETE {
                    Box::pin(previews::end(deployments, token))
                } else {
                    Box::pin(previews::create(deployments, &admin.origin, token, call.body))
                }
            }),
        ),
        route(
            Post,
            "/api/v1/garbage-collection",
            Api(|admin, call| {
                let (deployments, retention) = (&admin.deployments, admin.retention);
                Box::pin(collect_garbage(deployments, retention, call.token, call.body))
            }),
        ),
    ]
}
