//! Who may change which sections: the tokens and the grants of the configuration.

use std::collections::BTreeMap;

use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_config::{Action, PermittedActions, PermittedSections};
use colonnade_web::response::{Response, json};

use crate::Admin;
use crate::access::Identity;
use crate::operation::Call;

/// The tokens and the grants that apply to sections of the caller.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AccessList {
    /// The tokens, in the order of the configuration.
    tokens: Vec<TokenDescription>,
    /// The grants for holders of ID tokens, in the order of the configuration.
    grants: Vec<GrantDescription>,
}

/// A token, without its hash.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TokenDescription {
    /// The name in the history and the log.
    name: String,
    /// The sections, or `*` for all.
    sections: Vec<String>,
    /// The actions.
    #[schema(value_type = Vec<String>)]
    actions: Vec<&'static str>,
    /// When the token expires, also if that time is over; null if it never does.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    expires_at: Option<Timestamp>,
}

/// What the holders of certain ID tokens may do.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct GrantDescription {
    /// The name of the identity provider.
    provider: String,
    /// The accepted values of each claim. All claims must match; `*` stands for any characters but
    /// `/`.
    claims: BTreeMap<String, Vec<String>>,
    /// The sections, or `*` for all.
    sections: Vec<String>,
    /// The actions.
    #[schema(value_type = Vec<String>)]
    actions: Vec<&'static str>,
}

/// List the tokens and grants
///
/// Those that apply to a section on which the caller may publish, deploy, roll back or preview: for
/// `*`, all. The list has neither hashes nor secrets.
#[utoipa::path(
    get, path = "/api/v1/access", tag = "console", operation_id = "listAccess",
    responses((status = 200, body = AccessList, description = "The tokens and grants.")),
)]
pub(super) fn list(admin: &Admin, call: &Call<'_>) -> Response {
    let access = admin.access.load();
    let identity = call.caller.identity;
    let tokens = access.settings.tokens();
    let tokens = tokens.filter(|token| shares_section(identity, &token.sections));
    let grants = access.settings.grants();
    let grants = grants.filter(|grant| shares_section(identity, &grant.sections));
    let list = AccessList {
        tokens: tokens
            .map(|token| TokenDescription {
                name: token.name.clone(),
                sections: token.sections.names().to_vec(),
                actions: token.actions.names().collect(),
                expires_at: token.expires,
            })
            .collect(),
        grants: grants
            .map(|grant| GrantDescription {
                provider: grant.provider.clone(),
                claims: grant.claims.clone(),
                sections: grant.sections.names().to_vec(),
                actions: grant.actions.names().collect(),
            })
            .collect(),
    };
    json(StatusCode::OK, &list)
}

/// Whether a caller may change one of these sections.
fn shares_section(identity: &Identity, sections: &PermittedSections) -> bool {
    let may_change = |actions: &PermittedActions| {
        let changes = [Action::Publish, Action::Deploy, Action::Rollback, Action::Preview];
        changes.into_iter().any(|action| actions.contain(action))
    };
    let mut permissions = identity.permissions.iter();
    permissions.any(|(own, actions)| may_change(actions) && own.overlap(sections))
}
