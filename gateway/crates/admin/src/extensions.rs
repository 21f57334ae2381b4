//! The extensions of the sections: which of them pages show, and switching one on or off.

use std::collections::BTreeSet;
use std::sync::Arc;

use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_model::deployment::SwitchedOff;
use colonnade_model::extension_rules::{ExtensionId, Refusal};
use colonnade_model::release::PointReference;
use colonnade_model::schema::{Name, PointId, Reason, Version, optional};
use colonnade_platform::deployment::{Command, Deployments, Snapshot};
use colonnade_store::loaded::{ExtensionManifest, LeftOutReason, LoadedDeployment};
use colonnade_web::body::RequestBody;
use colonnade_web::response::{Response, json};

use crate::audit::Caller;
use crate::{AdminError, change};

/// An extension of a release that visitors get, or one that is switched off.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ExtensionDescription {
    /// The section that fills the point.
    #[schema(value_type = Name)]
    section: String,
    /// The version of the release; null if no release that visitors get has the extension.
    #[schema(value_type = Option<Version>, required)]
    version: Option<String>,
    /// The ID of the point.
    #[schema(value_type = PointId)]
    point: String,
    /// The version of the point that it fills; null as for `version`.
    #[schema(minimum = 1, required)]
    point_version: Option<u32>,
    /// Whether the live deployment has it; otherwise a candidate has it, or no release.
    live: bool,
    state: ExtensionState,
    /// Who switched it off; null if it is not.
    #[schema(required)]
    off: Option<Off>,
    /// The successful renders at this gateway since it started; null as for `version`. Documents share
    /// the HTML of an extension.
    #[schema(minimum = 0, required)]
    renders: Option<u64>,
    /// The errors of the release's extension in the error log of the section: failed renders for
    /// visitors, and what browsers report.
    #[schema(minimum = 0)]
    errors: u64,
    /// The mean CPU time of these renders in milliseconds; null without one.
    #[schema(minimum = 0, required)]
    render_ms: Option<f64>,
    /// What a browser loads for it, not compressed; null as for `version`.
    #[schema(minimum = 0, required)]
    bytes: Option<u64>,
}

/// Whether pages show an extension, or why they do not.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum ExtensionState {
    /// Pages show it.
    Visible,
    /// It is switched off.
    Off,
    /// `allow` in `site.toml` does not have its section.
    NotAllowed,
    /// The point shows as many others as it can.
    Full,
    /// No release opens the point in this version.
    NotOpened,
}

/// Who switched an extension off, when and why.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Off {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// The name of the token.
    by: String,
    #[schema(value_type = Option<Reason>, required)]
    reason: Option<String>,
}

/// A request to switch an extension on or off.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Switch {
    section: Name,
    point: PointId,
    /// Whether pages may show it.
    on: bool,
    #[serde(default, deserialize_with = "optional")]
    #[schema(value_type = Reason, required = false)]
    reason: Option<Reason>,
}

/// List the extensions
///
/// Those of the live deployment and of running candidates, by point and in the order in which pages
/// show them, and those that are switched off. The counts are of this gateway.
#[utoipa::path(
    get, path = "/api/v1/extensions", tag = "extensions", operation_id = "listExtensions",
    responses((status = 200, body = Vec<ExtensionDescription>, description = "The extensions.")),
)]
pub(super) fn list(deployments: &Deployments) -> Response {
    let snapshot = deployments.current();
    json(StatusCode::OK, &describe(deployments, &snapshot))
}

/// Switch an extension on or off
///
/// Concerns all versions of the section and of the point, until it is switched again: deploys and
/// rollbacks change nothing of it. New documents follow at once at this gateway, and at others after
/// their next poll of the store. Needs a token for the section of the extension, or for the one that
/// opens the point. Switching on fails with 409 `extensions_pushed_out` if the point would no longer
/// show another extension.
#[utoipa::path(
    post, path = "/api/v1/extensions", tag = "extensions", operation_id = "switchExtension",
    security(("token" = [Action::Rollback.name()])), request_body = Switch,
    responses(
        (status = 200, body = ExtensionId, description = "It is switched so already."),
        (status = 201, body = ExtensionId, description = "It is switched."),
        (status = 404), (status = 409),
    ),
)]
pub(super) async fn switch(
    deployments: &Deployments,
    caller: Caller<'_>,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let Switch {
        section: Name(section),
        point: PointId(point),
        on,
        reason,
    } = change::read_json(body).await?;
    caller.set_target(format_args!("{section} {point}"));
    let author = change::author(caller, reason);
    let extension = ExtensionId { section, point };
    let command = Command::Switch {
        extension: extension.clone(),
        on,
    };
    let by = (caller, Action::Rollback);
    let outcome = change::make(deployments, by, &command, &author).await?;
    let status = if outcome.changed {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok(json(status, &extension))
}

fn describe(deployments: &Deployments, snapshot: &Snapshot) -> Vec<ExtensionDescription> {
    let sets = snapshot.visible_sets();
    let off = snapshot.state().map(|state| state.switched_off.as_slice());
    let off = off.unwrap_or_default();
    let releases = sets.iter().flat_map(|set| &set.releases);
    let points: BTreeSet<&PointReference> = releases.flat_map(|release| release.filled_points()).collect();
    let mut described: Vec<ExtensionDescription> = Vec::new();
    let mut seen: Vec<&Arc<ExtensionManifest>> = Vec::new();
    for point in points {
        for (set, extension) in sets
            .iter()
            .flat_map(|set| set.filling(point).iter().map(move |each| (set, each)))
        {
            if !seen.contains(&extension) {
                seen.push(extension);
                described.push(of_release(deployments, set, extension, off));
            }
        }
    }
    let is_seen = |off: &SwitchedOff| {
        let mut seen = seen.iter();
        seen.any(|each| off.extension.is(&each.section.name, each.point.id()))
    };
    let unseen = off.iter().filter(|off| !is_seen(off));
    described
        .extend(unseen.map(|off| of_no_release(&off.extension.section, &off.extension.point, Some(off))));
    described
}

/// An extension of a set that visitors get.
fn of_release(
    deployments: &Deployments,
    set: &LoadedDeployment,
    extension: &Arc<ExtensionManifest>,
    off: &[SwitchedOff],
) -> ExtensionDescription {
    let (section, point) = (&*extension.section, &extension.point);
    let mut left_out = set.left_out();
    let left_out = left_out.find(|left_out| left_out.extensions.contains(extension));
    let off = off.iter().find(|off| off.extension.is(&section.name, point.id()));
    let is_live = set.set.candidates().is_empty();
    let release = set.release(&section.name);
    let rendered = release.map(|release| deployments.render_statistics(&release.id, point));
    let rendered = rendered.unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no precision")]
    let render_ms = (rendered.renders > 0).then(|| rendered.cpu_seconds * 1000.0 / rendered.renders as f64);
    ExtensionDescription {
        version: Some(section.version.clone()),
        point_version: Some(point.version()),
        live: is_live,
        state: match left_out.map(|left_out| left_out.reason) {
            None => ExtensionState::Visible,
            Some(LeftOutReason::NotOpened) => ExtensionState::NotOpened,
            Some(LeftOutReason::Full(_)) => ExtensionState::Full,
            Some(LeftOutReason::Refused(Refusal::NotAllowed)) => ExtensionState::NotAllowed,
            Some(LeftOutReason::Refused(Refusal::Off)) => ExtensionState::Off,
        },
        renders: Some(rendered.renders),
        errors: errors(deployments, extension),
        render_ms,
        bytes: Some(extension.bytes),
        ..of_no_release(&section.name, point.id(), off)
    }
}

/// How many errors of an extension the error log has.
fn errors(deployments: &Deployments, extension: &ExtensionManifest) -> u64 {
    let log = &deployments.diagnostics().errors;
    let entries = log.of_section(&extension.section.name).into_iter();
    let own = entries.filter(|entry| {
        entry.version == extension.section.version && entry.extension_point.as_ref() == Some(&extension.point)
    });
    own.map(|entry| entry.count).sum()
}

/// An extension as far as no release has it that visitors get.
fn of_no_release(section: &str, point: &str, off: Option<&SwitchedOff>) -> ExtensionDescription {
    ExtensionDescription {
        section: section.to_owned(),
        version: None,
        point: point.to_owned(),
        point_version: None,
        live: false,
        state: ExtensionState::Off,
        off: off.map(Off::of),
        renders: None,
        errors: 0,
        render_ms: None,
        bytes: None,
    }
}

impl Off {
    fn of(SwitchedOff { at, by, reason, .. }: &SwitchedOff) -> Self {
        Self {
            at: *at,
            by: by.clone(),
            reason: reason.clone(),
        }
    }
}
