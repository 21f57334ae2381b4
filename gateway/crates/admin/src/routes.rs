//! The operations of the admin listener: the route table, and the source of the OpenAPI
//! description.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use http::request::Parts;
use matchit::Params;
use utoipa::__dev::{SchemaReferences, Tags};
use utoipa::openapi::path::{HttpMethod, Operation as Description};
use utoipa::openapi::{RefOr, Schema};

use colonnade_model::release::ReleaseId;
use colonnade_model::schema::{Integer, Name, Number, Version};
use colonnade_web::body::RequestBody;
use colonnade_web::response::Response;
use colonnade_web::router::{Methods, Route};

use crate::audit::{AuditCaller, Caller};
use crate::{
    Admin, AdminError, access_list, audit_page, build_target, deployments, events, extensions, fleet,
    garbage_collection, gateway, health, history, metrics, openapi, previews, purge, releases, rollback,
    rollouts, section_errors, section_logs, session, sign_in, traffic, trial,
};

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

    fn release(self) -> ReleaseId {
        let Self { name, version, .. } = self;
        ReleaseId { name, version }
    }
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
    fn of<P: utoipa::Path + SchemaReferences + Tags<'static>>(endpoint: Endpoint) -> Self {
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

    fn console(path: &'static str) -> Self {
        Self {
            path: path.into(),
            method: HttpMethod::Get,
            endpoint: Endpoint::Console,
            describe: None,
        }
    }

    pub(crate) fn methods(&self) -> Methods {
        match self.method {
            HttpMethod::Post => Methods::POST,
            HttpMethod::Put => Methods::PUT,
            HttpMethod::Delete => Methods::DELETE,
            _ => Methods::GET,
        }
    }

    /// The same operation on the rollout of a section instead of a candidate.
    fn of_section(&self) -> Self {
        let path = self.path.replace("/deployments/{number}/", "/rollouts/{name}/");
        Self {
            path: path.into(),
            ..self.clone()
        }
    }
}

/// All routes of the admin listener, with the operations of their paths.
pub(crate) fn routes() -> impl Iterator<Item = Route<Vec<Operation>>> {
    let mut routes: BTreeMap<Cow<'static, str>, Vec<Operation>> = BTreeMap::new();
    for operation in operations() {
        routes.entry(operation.path.clone()).or_default().push(operation);
    }
    routes.into_iter().map(|(path, operations)| {
        let methods = operations.iter().map(Operation::methods);
        Route::new(methods.fold(Methods::NONE, Methods::and), path, operations)
    })
}

/// Operations that need a known token: the description of each, and its handler.
macro_rules! api {
    ($($description:path: |$admin:pat_param, $call:pat_param| $result:expr;)*) => {
        [$(Operation::of::<$description>(Endpoint::Api(
            |$admin, $call| Box::pin(async move { $result }),
        ))),*]
    };
}

/// All operations of the admin listener.
pub(crate) fn operations() -> Vec<Operation> {
    let mut operations = vec![
        Operation::of::<health::__path_liveness>(Endpoint::Open(|_| health::liveness())),
        Operation::of::<health::__path_readiness>(Endpoint::Open(health::readiness)),
        Operation::of::<metrics::__path_respond>(Endpoint::Metrics),
        Operation::of::<openapi::__path_respond>(Endpoint::Open(|_| openapi::respond())),
        Operation::of::<sign_in::__path_list>(Endpoint::Open(sign_in::list)),
        Operation::of::<sign_in::__path_start>(Endpoint::SignIn(|admin, call| {
            Box::pin(sign_in::start(admin, call))
        })),
        Operation::of::<sign_in::__path_complete>(Endpoint::SignIn(|admin, call| {
            Box::pin(sign_in::complete(admin, call))
        })),
        Operation::console("/console"),
        Operation::console("/console/{*file}"),
    ];
    operations.extend(reads());
    operations.extend(changes());
    let rollouts = rollout_changes();
    operations.extend(rollouts.iter().map(Operation::of_section));
    operations.extend(rollouts);
    operations
}

fn reads() -> [Operation; 16] {
    api! {
        session::__path_read: |_, call| Ok(session::read(call.caller));
        access_list::__path_list: |admin, call| Ok(access_list::list(admin, &call));
        events::__path_stream: |admin, call| events::stream(admin, &call);
        gateway::__path_describe: |admin, _| Ok(gateway::describe(admin));
        fleet::__path_list: |admin, _| fleet::list(admin).await;
        traffic::__path_read: |admin, call| traffic::read(admin.deployments.diagnostics(), call.head.uri.query());
        releases::__path_list: |admin, _| releases::list(admin).await;
        releases::__path_describe: |admin, call|
            releases::describe(&admin.deployments, call.parameters.release()).await;
        build_target::__path_read: |admin, call| Ok(build_target::read(admin, &call.parameters.name));
        section_errors::__path_list: |admin, call|
            Ok(section_errors::list(admin.deployments.diagnostics(), &call.parameters.name));
        section_logs::__path_read: |admin, call| section_logs::read(admin, call).await;
        deployments::__path_list: |admin, call| deployments::list(admin, call.head.uri.query()).await;
        rollouts::__path_list: |admin, _| rollouts::list(admin).await;
        extensions::__path_list: |admin, _| Ok(extensions::list(&admin.deployments));
        audit_page::__path_read: |admin, call| audit_page::read(admin, call).await;
        history::__path_list: |admin, call| history::list(&admin.deployments, call.head.uri.query()).await;
    }
}

fn changes() -> [Operation; 13] {
    api! {
        session::__path_sign_in: |admin, call| session::sign_in(admin, call.caller);
        session::__path_sign_out: |admin, call| Ok(session::sign_out(admin, call.caller));
        releases::__path_publish: |admin, call|
            releases::publish(admin, call.caller, call.parameters.release(), &call.head.headers, call.body).await;
        trial::__path_run: |admin, call| trial::run(admin, call.caller, call.parameters.name, call.body).await;
        deployments::__path_deploy: |admin, call| deployments::deploy(admin, call.caller, call.body).await;
        deployments::__path_plan: |admin, call| deployments::plan(admin, call.caller, call.body).await;
        rollback::__path_roll_back: |admin, call| rollback::roll_back(admin, call.caller, call.body).await;
        rollback::__path_plan: |admin, call| rollback::plan(admin, call.caller, call.body).await;
        extensions::__path_switch: |admin, call|
            extensions::switch(&admin.deployments, call.caller, call.body).await;
        previews::__path_create: |admin, call|
            previews::create(&admin.deployments, &admin.origin, call.caller, call.body).await;
        previews::__path_end: |admin, call| previews::end(&admin.deployments, call.caller).await;
        garbage_collection::__path_collect: |admin, call|
            garbage_collection::collect(&admin.deployments, admin.retention, call.caller, call.body).await;
        purge::__path_purge: |admin, call| purge::purge(&admin.purge_responses, call.caller, call.body).await;
    }
}

/// The changes of one rollout, which the path names by its candidate.
fn rollout_changes() -> [Operation; 4] {
    api! {
        rollouts::__path_promote: |admin, call| rollouts::promote(admin, call).await;
        rollouts::__path_abort: |admin, call| rollouts::abort(admin, call).await;
        rollouts::__path_pause: |admin, call| rollouts::pause(admin, call).await;
        rollouts::__path_resume: |admin, call| rollouts::resume(admin, call).await;
    }
}
