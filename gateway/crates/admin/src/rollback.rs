//! Rolling back.

use serde::Deserialize;
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::schema::{Name, Number, Reason};
use colonnade_platform::deployment::RollbackTarget;
use colonnade_web::body::RequestBody;
use colonnade_web::response::Response;

use super::audit::Caller;
use super::{Admin, AdminError, change};

/// A request to restore earlier releases. Without `section` and `deployment` it restores the previous live deployment.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Rollback {
    /// The section, or `shell`, whose previous release is restored.
    #[schema(value_type = Name, required = false)]
    section: Option<String>,
    /// The deployment whose releases are all restored.
    #[schema(value_type = Number, required = false)]
    deployment: Option<u64>,
    #[schema(value_type = Reason, required = false)]
    reason: Option<String>,
}

/// `POST /api/v1/rollback`
pub(super) async fn roll_back(
    admin: &Admin,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let rollback: Rollback = change::read_json(body).await?;
    match (&rollback.section, rollback.deployment) {
        (Some(section), _) => caller.set_section(section),
        (None, Some(number)) => caller.set_target(number),
        (None, None) => caller.set_target("*"),
    }
    let token = caller.token;
    let target = match (rollback.section, rollback.deployment) {
        (Some(section), None) => RollbackTarget::Section(section),
        (None, Some(number)) => RollbackTarget::Deployment(number),
        (None, None) => RollbackTarget::Previous,
        (Some(_), Some(_)) => {
            let problem = "`section` and `deployment` exclude each other";
            return Err(AdminError::Body(problem.to_owned()));
        }
    };
    let author = change::author(caller, rollback.reason)?;
    let allows = |section: &str| token.allows(Action::Rollback, section);
    let outcome = admin.deployments.roll_back(&target, &author, &allows).await;
    let outcome = change::with_token(outcome, token, Action::Rollback)?;
    Ok(change::respond(&outcome, &admin.origin))
}
