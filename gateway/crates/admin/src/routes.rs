//! The operations of the admin listener: the route table, and the source of the OpenAPI
//! description.

use std::borrow::Cow;
use std::collections::BTreeMap;

use colonnade_web::router::{Methods, Route};

use crate::operation::{Endpoint, Operation};
use crate::{
    access_list, audit_page, build_target, deployments, events, extensions, fleet, garbage_collection,
    gateway, health, history, metrics, openapi, previews, purge, releases, rollback, rollouts,
    section_errors, section_logs, session, sign_in, source_map, traffic, trial,
};

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
        Operation::of::<openapi::__path_respond>(Endpoint::Open(|_| openapi::respond(operations))),
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

fn reads() -> [Operation; 17] {
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
        source_map::__path_read: |admin, call| source_map::read(admin, call).await;
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
