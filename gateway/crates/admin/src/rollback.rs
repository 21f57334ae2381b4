//! Rolling back.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::deployment::ReleaseChange;
use colonnade_model::schema::{Name, Number, Reason, optional};
use colonnade_platform::deployment::{Author, RollbackTarget};
use colonnade_web::body::RequestBody;
use colonnade_web::response::{Response, json};

use super::audit::Caller;
use super::{Admin, AdminError, change};

/// A request to restore earlier releases. Without `section` and `deployment` it restores the previous live deployment.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Rollback {
    /// The section, or `shell`, whose previous release is restored.
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Name, required = false)]
    section: Option<Name>,
    /// The deployment whose releases are all restored.
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Number, required = false)]
    deployment: Option<Number>,
    /// The deployment that must still be live. If it is not, the response is 409 and contains the live one.
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Number, required = false)]
    base: Option<Number>,
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Reason, required = false)]
    reason: Option<Reason>,
}

/// What a rollback would change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RollbackPreview {
    /// The live deployment. Send it as `base` to roll back only if it is still live.
    #[schema(value_type = Number)]
    live: u64,
    /// The deployment whose releases are all restored; null for a rollback of one section.
    #[schema(value_type = Option<Number>, required)]
    restores: Option<u64>,
    /// What the shell and each section would become, by name. Empty if there is nothing to change.
    #[schema(value_type = BTreeMap<Name, ReleaseChange>)]
    sections: BTreeMap<String, ReleaseChange>,
}

/// `POST /api/v1/rollback/plan`
pub(super) async fn plan(
    admin: &Admin,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let Request { target, base, author } = read(caller, body).await?;
    let allows = |section: &str| caller.token.allows(Action::Rollback, section);
    let plan = admin.deployments.plan_rollback(&target, base, &author, &allows);
    let plan = change::with_token(plan.await, caller.token, Action::Rollback)?;
    let preview = RollbackPreview {
        live: plan.live,
        restores: plan.restores,
        sections: plan.sections,
    };
    Ok(json(StatusCode::OK, &preview))
}

/// A valid request.
struct Request {
    target: RollbackTarget,
    base: Option<u64>,
    author: Author,
}

/// `POST /api/v1/rollback`
pub(super) async fn roll_back(
    admin: &Admin,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let Request { target, base, author } = read(caller, body).await?;
    let allows = |section: &str| caller.token.allows(Action::Rollback, section);
    let outcome = admin.deployments.roll_back(&target, base, &author, &allows);
    let outcome = change::with_token(outcome.await, caller.token, Action::Rollback)?;
    let is_changed = |section: &str| match &target {
        RollbackTarget::Section(restored) => restored == section,
        _ => true,
    };
    Ok(change::respond(admin, &outcome, is_changed))
}

async fn read(caller: Caller<'_>, body: RequestBody) -> Result<Request, AdminError> {
    let rollback: Rollback = change::read_json(body).await?;
    match (&rollback.section, rollback.deployment) {
        (Some(Name(section)), _) => caller.set_target(section),
        (None, Some(Number(number))) => caller.set_target(number),
        (None, None) => caller.set_target("*"),
    }
    let author = change::author(caller, rollback.reason);
    let target = match (rollback.section, rollback.deployment) {
        (Some(Name(section)), None) => RollbackTarget::Section(section),
        (None, Some(Number(number))) => RollbackTarget::Deployment(number),
        (None, None) => RollbackTarget::Previous,
        (Some(_), Some(_)) => {
            let problem = "`section` and `deployment` exclude each other";
            return Err(AdminError::Body(problem.to_owned()));
        }
    };
    Ok(Request {
        target,
        base: rollback.base.map(|Number(base)| base),
        author,
    })
}
