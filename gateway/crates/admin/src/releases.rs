//! Publishing releases, and listing them.

use std::collections::{BTreeMap, BTreeSet};

use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_config::Action;
use colonnade_diagnostics::{LogEntryKind, NewLogEntry};
use colonnade_memory::Pressure;
use colonnade_model::deployment::ReleaseChange;
use colonnade_model::release::{Digest, Kind, PointReference, ReleaseId, ReleaseSource};
use colonnade_model::schema::{Name, Version};
use colonnade_platform::deployment::Deployments;
use colonnade_platform::publish::{
    self, Counted, MAX_ARCHIVE, Provenance, PublishError, PublishOutcome, Usage,
};
use colonnade_store::StoredRelease;
use colonnade_web::body::RequestBody;
use colonnade_web::log::AUDIT;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{Response, json};

use crate::audit::Caller;
use crate::error::SOURCE;
use crate::{Admin, AdminError, auth, request_body};

/// A release folder as a gzipped tar.
#[derive(Serialize, ToSchema)]
#[schema(content_media_type = "application/gzip")]
struct Archive(String);

/// A published release.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishResult {
    #[schema(value_type = Name)]
    name: String,
    #[schema(value_type = Version)]
    version: String,
    /// The SHA-384 digest of `release.json`, which contains the digest of every file.
    #[schema(value_type = String, pattern = r"^sha384-[A-Za-z0-9+/]{64}$")]
    digest: Digest,
    /// Problems that would prevent a deploy together with the live releases, such as settings
    /// that the release reads and the configuration does not have, and the tokens that a deploy needs.
    warnings: Vec<String>,
}

/// A section, or the shell, with its releases.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    #[schema(value_type = Name)]
    name: String,
    kind: Kind,
    /// All retained releases, oldest first.
    #[schema(min_items = 1)]
    releases: Vec<SectionRelease>,
    /// The version in the live deployment.
    #[schema(value_type = Option<Version>, required)]
    live: Option<String>,
    /// The path patterns of the pages of that version.
    patterns: Vec<String>,
    /// The version that is being rolled out; null without a rollout of this section, or if the
    /// rollout removes it.
    #[schema(value_type = Option<Version>, required)]
    candidate: Option<String>,
    /// The version that a rollback of the section restores; null during a rollout of the section, and
    /// if there is none in the last 5,000 changes.
    #[schema(value_type = Option<Version>, required)]
    previous: Option<String>,
    usage: SectionUsage,
}

/// What a section uses of its quota.
#[derive(Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SectionUsage {
    /// The size of all files of its releases.
    #[schema(minimum = 0)]
    stored_bytes: u64,
    #[schema(minimum = 1)]
    max_stored_bytes: u64,
    /// The number of its releases that were published within 24 hours.
    #[schema(minimum = 0)]
    publishes: u64,
    #[schema(minimum = 1)]
    max_publishes_per_day: u64,
}

/// A release of a section.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SectionRelease {
    #[schema(value_type = Version)]
    version: String,
    #[schema(value_type = String, format = DateTime)]
    published_at: Timestamp,
    /// The name of the token that published it.
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ReleaseSource, required = false)]
    source: Option<ReleaseSource>,
    /// The size of all its files.
    #[schema(minimum = 0)]
    bytes: u64,
}

/// The files of a release, and what each of its pages and extensions loads.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ReleaseDescription {
    #[schema(value_type = Name)]
    name: String,
    #[schema(value_type = Version)]
    version: String,
    #[schema(value_type = String, format = DateTime)]
    published_at: Timestamp,
    /// The name of the token that published it.
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ReleaseSource, required = false)]
    source: Option<ReleaseSource>,
    /// The files, in ascending order by path.
    files: Vec<ReleaseFile>,
    /// The pages of a section. The shell has none.
    pages: Vec<ReleasePage>,
    /// The extension points that it opens.
    extension_points: Vec<ReleasePoint>,
    /// What a section contributes to extension points.
    extensions: Vec<ReleaseExtension>,
}

/// A file of a release.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ReleaseFile {
    /// The path in the release's folder.
    path: String,
    /// The size, not compressed.
    #[schema(minimum = 0)]
    bytes: u64,
    /// The SHA-384 digest.
    #[schema(value_type = String, pattern = r"^sha384-[A-Za-z0-9+/]{64}$")]
    digest: Digest,
}

/// A page of a release.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ReleasePage {
    /// The path pattern.
    pattern: String,
    /// The paths of the files that its first view loads, with those of the whole section.
    files: Vec<String>,
}

/// An extension point of a release.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ReleasePoint {
    /// Its ID with its version, such as `directory/city-aside@1`.
    #[schema(value_type = String)]
    point: PointReference,
    /// How many extensions it shows at most.
    #[schema(minimum = 1, maximum = 16)]
    max: u8,
}

/// What a section contributes to an extension point.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ReleaseExtension {
    /// The ID of the point with its version, such as `directory/city-aside@1`.
    #[schema(value_type = String)]
    point: PointReference,
    /// Its place among the extensions of the point: a lower one comes first.
    order: i64,
    /// The paths of the files that it loads, with those of the whole section.
    files: Vec<String>,
}

/// Publish a release
///
/// The body is the release folder as a gzipped tar. Everything is validated before anything is
/// stored, and the response contains all problems. Publishing the same release again succeeds, and
/// needs no quota. A version never changes. A section that has used its quota is refused before the
/// body is read, with 422 for what it stores and 429 for the releases of the last 24 hours;
/// `detail` has the use, the quota and what to do.
#[utoipa::path(
    put, path = "/api/v1/sections/{name}/releases/{version}", tag = "releases",
    security(("token" = [Action::Publish.name()])),
    params(
        ("Colonnade-Source" = Option<String>, Header,
            description = "Where the release comes from: a `ReleaseSource` as JSON, in ASCII with `\\u` escapes. It is kept with the \
                release, but is no part of it: a release that is published again keeps the first one."),
    ),
    request_body(content = inline(Archive), content_type = "application/gzip"),
    responses(
        (status = 200, body = PublishResult, description = "The same release was published before."),
        (status = 201, body = PublishResult, description = "The release is published."),
        (status = 409, description = "A release with this name and version has, or had, other contents."),
        (status = 422, description = "The release is invalid, and `problems` lists all problems; or the store has no room for it by \
                the quota of its section."),
    ),
)]
pub(super) async fn publish(
    admin: &Admin,
    caller: Caller<'_>,
    id: ReleaseId,
    headers: &HeaderMap,
    body: RequestBody,
) -> Result<Response, AdminError> {
    let (deployments, identity) = (&admin.deployments, caller.identity);
    auth::require(identity, Action::Publish, &id.name)?;
    let source = source(headers)?;
    caller.set_source(source.as_ref());
    let commit = source.as_ref().and_then(|source| source.commit.clone());
    let provenance = Provenance {
        by: identity.name.clone(),
        source,
    };
    if Pressure::is_high() {
        return Err(AdminError::MemoryShort);
    }
    let place = admin.publishes.try_acquire(identity.key);
    let _place = place.ok_or(AdminError::TooManyPublishes)?;
    let log = &deployments.diagnostics().log;
    let entry = |kind| NewLogEntry {
        by: Some(identity.name.clone()),
        ..NewLogEntry::of_release(kind, id.clone())
    };
    let log_rejection = |error: &PublishError| {
        if let Some(problems) = problems(error) {
            log.record(NewLogEntry {
                problems,
                ..entry(LogEntryKind::PublishRejected)
            });
        }
    };
    let store = deployments.store();
    let quota = admin.publisher.check_quota(store, &id).await;
    quota.inspect_err(log_rejection)?;
    let max_lag = admin.settings.load().limits.min_rate_window;
    let upload = request_body::save(body, MAX_ARCHIVE, max_lag, store.scratch_folder().await?).await?;
    let outcome = admin
        .publisher
        .publish(store, id.clone(), upload.file, provenance)
        .await;
    let outcome = outcome.inspect_err(log_rejection)?;
    let (status, digest) = match outcome {
        PublishOutcome::Created(digest) => {
            let (name, version) = (&id.name, &id.version);
            tracing::info!(target: AUDIT, event = "release_published", name, version, commit, by = %identity.name);
            log.record(entry(LogEntryKind::Published));
            (StatusCode::CREATED, digest)
        }
        PublishOutcome::Unchanged(digest) => (StatusCode::OK, digest),
    };
    let warnings = publish::warnings(deployments, &id).await?;
    let result = PublishResult {
        name: id.name,
        version: id.version,
        digest,
        warnings,
    };
    Ok(json(status, &result))
}

/// Read the files, pages and extensions of a release
#[utoipa::path(
    get, path = "/api/v1/sections/{name}/releases/{version}", tag = "releases", operation_id = "describeRelease",
    responses((status = 200, body = ReleaseDescription, description = "The release."), (status = 404)),
)]
pub(super) async fn describe(deployments: &Deployments, id: ReleaseId) -> Result<Response, AdminError> {
    let stored = deployments.store().release(&id).await?;
    let StoredRelease { release, record } = stored.ok_or(HttpError::NotFound)?;
    let common = [&release.entry].into_iter().chain(&release.assets);
    let with_common = |assets| -> Vec<String> {
        let files: BTreeSet<&String> = common.clone().chain(assets).collect();
        files.into_iter().cloned().collect()
    };
    let pages = release.pages.iter().map(|page| ReleasePage {
        pattern: page.pattern.clone(),
        files: with_common(&page.assets),
    });
    let points = release.extension_points.iter().map(|point| ReleasePoint {
        point: point.reference(),
        max: point.max,
    });
    let extensions = release.extensions.iter().map(|extension| ReleaseExtension {
        point: extension.point.clone(),
        order: extension.order,
        files: with_common(&extension.assets),
    });
    let (pages, extension_points, extensions) = (pages.collect(), points.collect(), extensions.collect());
    let files = release.files.into_iter().map(|file| ReleaseFile {
        path: file.path,
        bytes: file.size,
        digest: file.digest,
    });
    let description = ReleaseDescription {
        name: id.name,
        version: id.version,
        published_at: record.published_at,
        by: record.by,
        source: record.source,
        files: files.collect(),
        pages,
        extension_points,
        extensions,
    };
    Ok(json(StatusCode::OK, &description))
}

/// The source that a publisher sends.
fn source(headers: &HeaderMap) -> Result<Option<ReleaseSource>, AdminError> {
    let Some(value) = headers.get(SOURCE) else {
        return Ok(None);
    };
    let json = value.to_str().map_err(|_| "expected ASCII".to_owned());
    json.and_then(ReleaseSource::parse).map_err(AdminError::Source)
}

/// Why a release is rejected; `None` if the store failed.
fn problems(error: &PublishError) -> Option<Vec<String>> {
    match error {
        PublishError::Rejected(problems) => Some(problems.clone()),
        PublishError::Store(_) => None,
        error => Some(vec![error.to_string()]),
    }
}

/// List the sections and the shell with their releases
#[utoipa::path(
    get, path = "/api/v1/sections", tag = "releases", operation_id = "listSections",
    responses((status = 200, body = Vec<Section>, description = "Everything that has a release.")),
)]
pub(super) async fn list(admin: &Admin) -> Result<Response, AdminError> {
    let deployments = &admin.deployments;
    let store = deployments.store();
    let snapshot = deployments.current();
    let live = |name: &str| snapshot.live()?.deployment.releases.get(name).cloned();
    let changes = snapshot.rollouts().flat_map(|running| running.changes());
    let mut candidates: BTreeMap<String, ReleaseChange> = changes.collect();
    let mut sections: BTreeMap<String, Section> = BTreeMap::new();
    for id in store.releases(None).await? {
        let stored = match store.release(&id).await {
            // It cannot be deployed. `gateway store verify` reports it.
            Err(error) if error.is_damage() => continue,
            stored => stored?,
        };
        let Some(stored) = stored else { continue };
        let section = sections.entry(id.name.clone()).or_insert_with(|| Section {
            live: live(&id.name),
            candidate: candidates.remove(&id.name).and_then(|change| change.to),
            patterns: Vec::new(),
            previous: None,
            name: id.name,
            kind: stored.release.kind,
            releases: Vec::new(),
            usage: SectionUsage::default(),
        });
        if section.live.as_ref() == Some(&id.version) {
            let pages = stored.release.pages.into_iter();
            section.patterns = pages.map(|page| page.pattern).collect();
        }
        section.releases.push(SectionRelease {
            version: id.version,
            published_at: stored.record.published_at,
            by: stored.record.by,
            source: stored.record.source,
            bytes: stored.release.files.iter().map(|file| file.size).sum(),
        });
    }
    let mut previous = previous_releases(deployments, &sections).await?;
    for section in sections.values_mut() {
        section.previous = previous.remove(&section.name);
        section
            .releases
            .sort_by(|a, b| (a.published_at, &a.version).cmp(&(b.published_at, &b.version)));
        section.usage = usage(admin, &section.name, &section.releases);
    }
    Ok(json(StatusCode::OK, &sections.into_values().collect::<Vec<_>>()))
}

/// What rollbacks of these sections restore, by name. A section without another intact release has
/// nothing to restore, so the history need not be searched.
async fn previous_releases(
    deployments: &Deployments,
    sections: &BTreeMap<String, Section>,
) -> Result<BTreeMap<String, String>, AdminError> {
    let with_others = sections.values().filter(|section| {
        let mut releases = section.releases.iter();
        releases.any(|release| section.live.as_ref() != Some(&release.version))
    });
    let names = with_others.map(|section| section.name.as_str());
    let mut previous = deployments.previous_releases(names).await?;
    previous.retain(|name, version| {
        let section = sections.get(name);
        section.is_some_and(|section| section.releases.iter().any(|release| release.version == *version))
    });
    Ok(previous)
}

fn usage(admin: &Admin, section: &str, releases: &[SectionRelease]) -> SectionUsage {
    let quota = admin.publisher.quota(section);
    let usage = Usage::of(releases.iter().map(|release| Counted {
        published_at: release.published_at,
        bytes: release.bytes,
    }));
    SectionUsage {
        stored_bytes: usage.stored,
        max_stored_bytes: quota.max_stored,
        publishes: usage.published(),
        max_publishes_per_day: quota.max_publishes_per_day,
    }
}
