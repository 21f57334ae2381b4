//! Publishing releases, and listing them.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use super::{AdminError, auth, receive};
use crate::config::{Action, Budget, Token};
use crate::deployment::{Deployments, Set};
use crate::net::RequestBody;
use crate::publish::{self, MAX_ARCHIVE, Published};
use crate::release::Kind;
use crate::reply::{Reply, json};
use crate::store::ReleaseId;

/// One section, or the shell, with its releases.
#[derive(Serialize)]
struct Listed {
    name: String,
    kind: Kind,
    releases: Vec<ListedRelease>,
    live: Option<String>,
    candidate: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedRelease {
    version: String,
    published_at: Timestamp,
    by: String,
}

/// `PUT /api/v1/sections/{name}/releases/{version}`
pub(super) async fn publish(
    deployments: &Deployments,
    budget: &Budget,
    token: &Token,
    id: ReleaseId,
    body: RequestBody,
) -> Result<Reply, AdminError> {
    auth::require(token, Action::Publish, &id.name)?;
    let store = deployments.store();
    let upload = receive::file(body, MAX_ARCHIVE, store.scratch().await?).await?;
    let published = publish::publish(store, budget, id.clone(), upload.file, token.name.clone()).await?;
    let (name, version) = (&id.name, &id.version);
    let (status, digest) = match published {
        Published::New(digest) => {
            tracing::info!(event = "published", name, version, by = %token.name);
            (StatusCode::CREATED, digest)
        }
        Published::Same(digest) => (StatusCode::OK, digest),
    };
    let warnings = publish::warnings(deployments, &id).await?;
    Ok(json(
        status,
        &json!({ "name": name, "version": version, "digest": digest, "warnings": warnings }),
    ))
}

/// `GET /api/v1/sections`
pub(super) async fn list(deployments: &Deployments) -> Result<Reply, AdminError> {
    let store = deployments.store();
    let snapshot = deployments.current();
    let version_in = |set: Option<&Arc<Set>>, name: &str| set?.deployment.releases.get(name).cloned();
    let candidate = snapshot.rollout().map(|running| &running.candidate);
    let mut sections: BTreeMap<String, Listed> = BTreeMap::new();
    for id in store.releases().await? {
        let Some(stored) = store.release(&id).await? else {
            continue;
        };
        let section = sections.entry(id.name.clone()).or_insert_with(|| Listed {
            live: version_in(snapshot.live(), &id.name),
            candidate: version_in(candidate, &id.name),
            name: id.name,
            kind: stored.release.kind,
            releases: Vec::new(),
        });
        section.releases.push(ListedRelease {
            version: id.version,
            published_at: stored.record.published_at,
            by: stored.record.by,
        });
    }
    for section in sections.values_mut() {
        section
            .releases
            .sort_by(|a, b| (a.published_at, &a.version).cmp(&(b.published_at, &b.version)));
    }
    Ok(json(StatusCode::OK, &sections.into_values().collect::<Vec<_>>()))
}
