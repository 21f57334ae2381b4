//! Publishing releases, and listing them.

use std::collections::BTreeMap;

use http::StatusCode;
use hyper::body::Incoming;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use super::{AdminError, auth, receive};
use crate::config::{Action, Token};
use crate::deployment::Deployments;
use crate::publish::{MAX_ARCHIVE, Published, publish as publish_archive};
use crate::release::Kind;
use crate::reply::{Reply, json};
use crate::store::{ReleaseId, Store};

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
    store: &dyn Store,
    token: &Token,
    name: &str,
    version: &str,
    body: Incoming,
) -> Result<Reply, AdminError> {
    auth::require(token, Action::Publish, name)?;
    let id = ReleaseId {
        name: name.to_owned(),
        version: version.to_owned(),
    };
    let upload = receive::file(body, MAX_ARCHIVE, store.scratch().await?).await?;
    let published = publish_archive(store, id, upload.file, token.name.clone()).await?;
    let (status, digest) = match published {
        Published::New(digest) => {
            tracing::info!(event = "published", name, version, by = %token.name);
            (StatusCode::CREATED, digest)
        }
        Published::Same(digest) => (StatusCode::OK, digest),
    };
    Ok(json(
        status,
        &json!({ "name": name, "version": version, "digest": digest }),
    ))
}

/// `GET /api/v1/sections`
pub(super) async fn list(deployments: &Deployments) -> Result<Reply, AdminError> {
    let store = deployments.store();
    let snapshot = deployments.current();
    let live = snapshot.live().map(|set| &set.deployment.releases);
    let candidate = snapshot
        .rollout()
        .map(|running| &running.candidate.deployment.releases);
    let mut sections: BTreeMap<String, Listed> = BTreeMap::new();
    for id in store.releases().await? {
        let Some(stored) = store.release(&id).await? else {
            continue;
        };
        let section = sections.entry(id.name.clone()).or_insert_with(|| Listed {
            live: live.and_then(|releases| releases.get(&id.name)).cloned(),
            candidate: candidate.and_then(|releases| releases.get(&id.name)).cloned(),
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
