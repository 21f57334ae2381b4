//! Rolling back.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::deployment::ReleaseChange;
use colonnade_model::schema::{Name, Number, Reason, optional};
use colonnade_platform::deployment::{Author, Command, RollbackTarget};
use colonnade_web::body::RequestBody;
use colonnade_web::response::{Response, json};

use crate::audit::Caller;
use crate::change::ChangeResult;
use crate::{Admin, AdminError, change};

/// A request to restore earlier releases. Without `section` and `deployment` it restores the
/// previous live deployment.
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
    /// The deployment that must still be live. If it is not, the response is 409 and contains the
    /// live one.
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

/// Show what a rollback would change
///
/// Changes nothing. Needs the same token as the rollback.
#[utoipa::path(
    post, path = "/api/v1/rollback/plan", tag = "deployments", operation_id = "planRollback",
    security(("token" = [Action::Rollback.name()])), request_body = Option<Rollback>,
    responses(
        (status = 200, body = RollbackPreview, description = "What each section would become."),
        (status = 404), (status = 409), (status = 422),
    ),
)]
pub(super) async fn plan(
    admin: &Admin,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let (command, author) = read(caller, body).await?;
    let by = (caller, Action::Rollback);
    let plan = change::plan(&admin.deployments, by, &command, &author).await?;
    let preview = RollbackPreview {
        live: plan.live.unwrap_or_default(),
        restores: plan.change.as_ref().and_then(|change| change.restores),
        sections: plan.change.map(|change| change.sections).unwrap_or_default(),
    };
    Ok(json(StatusCode::OK, &preview))
}

/// Restore earlier releases
///
/// With `section`, restores the release that the section had live before; repeating it restores the
/// release before that. Without it, restores all releases of `deployment`, or of the newest earlier
/// live deployment that has other releases than the live one, and none that a rollback removed
/// since. That needs a token for `*` and ends all rollouts. A pattern that takes paths of another
/// live section needs a token for both sections, also if it was live before.
#[utoipa::path(
    post, path = "/api/v1/rollback", tag = "deployments", operation_id = "rollBack",
    security(("token" = [Action::Rollback.name()])), request_body = Option<Rollback>,
    responses(
        (status = 200, body = ChangeResult, description = "There is nothing to change."),
        (status = 201, body = ChangeResult, description = "The restored releases are live."),
        (status = 404), (status = 409), (status = 422),
    ),
)]
pub(super) async fn roll_back(
    admin: &Admin,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let (command, author) = read(caller, body).await?;
    let by = (caller, Action::Rollback);
    let outcome = change::make(&admin.deployments, by, &command, &author).await?;
    let is_changed = |section: &str| match &command {
        Command::RollBack {
            target: RollbackTarget::Section(restored),
            ..
        } => restored == section,
        _ => true,
    };
    Ok(change::respond(admin, &outcome, is_changed))
}

async fn read(caller: Caller<'_>, body: RequestBody) -> Result<(Command, Author), AdminError> {
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
    let base = rollback.base.map(|Number(base)| base);
    Ok((Command::RollBack { target, base }, author))
}
