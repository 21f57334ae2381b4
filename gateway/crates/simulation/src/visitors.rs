//! Visitors: each document that they see must be one deployment.

use std::sync::Arc;
use std::time::Duration;

use colonnade_model::deployment::SetName;
use colonnade_model::pattern::RequestPath;
use colonnade_platform::deployment::Snapshot;
use colonnade_platform::rollout::{COOKIE, Cohort};
use colonnade_store::loaded::{LoadedDeployment, LoadedRelease};
use colonnade_store::{Store, StoreError};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::cookie::{self, Cookie, Cookies};
use http::HeaderMap;
use http::header::COOKIE as COOKIE_HEADER;
use rand::RngExt as _;
use rand::rngs::SmallRng;
use tokio::time::sleep;

use crate::gateway::Gateway;
use crate::operators::{pick, section};
use crate::releases;
use crate::world::World;

/// A visitor who opens pages of any section through any gateway, until the task is aborted.
pub(crate) fn visit(
    world: &Arc<World>,
    gateways: &[Arc<Gateway>],
    sections: usize,
    mut rng: SmallRng,
) -> impl Future<Output = ()> + Send + use<> {
    let (world, gateways) = (Arc::clone(world), gateways.to_vec());
    async move {
        let mut headers = HeaderMap::new();
        loop {
            sleep(Duration::from_millis(rng.random_range(50..3000))).await;
            let section = section(rng.random_range(0..sections));
            let (gateway, other) = (pick(&gateways, &mut rng), pick(&gateways, &mut rng));
            let Some(snapshot) = gateway.snapshot() else {
                continue;
            };
            let Some((set, deployment)) = selected(&snapshot, &mut headers, &section) else {
                continue;
            };
            if let Err(violation) = check(&world, &snapshot, &set, &deployment, &section) {
                world.violated(&format!("{gateway} serves /{section}: {violation}"));
            }
            // Another gateway at the same revision shows the visitor the same.
            if let Some(same) = other.snapshot()
                && same.state() == snapshot.state()
                && selected(&same, &mut headers, &section).map(|(set, _)| set) != Some(set)
            {
                world.violated(&format!(
                    "{gateway} and {other} show a visitor different deployments"
                ));
            }
            for release in deployment.releases.iter().filter(|each| each.id.name == section) {
                let Some(process) = other.process() else { continue };
                // It can be behind, and a replica has only what its own documents need.
                let current = process.deployments.current();
                let knows = current.release(&release.id.name, &release.id.version).is_some();
                let mut visible = current.visible_releases();
                if !knows || (other.is_reader && !visible.any(|each| each.id == release.id)) {
                    continue;
                }
                if let Err(violation) = load(&world, process.deployments.store(), release).await {
                    world.violated(&format!("{other} serves files: {violation}"));
                }
            }
        }
    }
}

/// The set that the visitor gets, and what it is at a section's page. Keeps the cookie.
fn selected(
    snapshot: &Snapshot,
    headers: &mut HeaderMap,
    section: &str,
) -> Option<(SetName, Arc<LoadedDeployment>)> {
    let cohort = Cohort::new(Cookies::new(headers, false));
    let set = cohort.set(&snapshot.state()?.visible);
    let path = RequestPath::parse(&releases::path(section)).unwrap();
    let deployment = snapshot.set_at(&set, Some(&path))?;
    if let Some(value) = cohort.new_cookie() {
        let mut response = HeaderMap::new();
        Cookie::new(COOKIE, &value, 60).append(&mut response, false);
        headers.insert(COOKIE_HEADER, cookie::returned(&response));
    }
    Some((set, deployment))
}

/// Checks that all of a document belongs to one set that was offered.
fn check(
    world: &World,
    snapshot: &Snapshot,
    set: &SetName,
    loaded: &LoadedDeployment,
    section: &str,
) -> Result<(), String> {
    let ledger = world.ledger.lock();
    let offered = ledger.state(snapshot.revision()).map(|(_, state)| &state.visible);
    if offered.is_none_or(|visible| !visible.has_offered(set) || !visible.has_offered(&loaded.set)) {
        return Err(format!("set {set} as {} was never offered", loaded.set));
    }
    let live = ledger.deployments.get(&loaded.set.live());
    let candidates = loaded
        .set
        .candidates()
        .iter()
        .map(|number| &ledger.deployments[number]);
    let Some(live) = live else {
        return Err(format!("set {} without a record", loaded.set));
    };
    let named = candidates.fold(live.releases.clone(), |releases, candidate| {
        candidate.applied_to(&releases)
    });
    let number = &loaded.set;
    let count = loaded.releases.len() + loaded.unavailable.len();
    let is_named = |release: &Arc<LoadedRelease>| named.get(&release.id.name) == Some(&release.id.version);
    if count != named.len() || !loaded.releases.iter().all(is_named) {
        return Err(format!("releases that deployment {number} does not have"));
    }
    let page = loaded.page(&RequestPath::parse(&releases::path(section)).unwrap());
    match (page, named.get(section)) {
        (Some(page), Some(version)) if page.section.version == *version => Ok(()),
        (None, None) => Ok(()),
        (None, Some(_)) if loaded.unavailable.iter().any(|each| each.id.name == section) => Ok(()),
        (page, version) => {
            let page = page.map(|page| &page.section.version);
            Err(format!("version {page:?} in place of {version:?}"))
        }
    }
}

/// Loads the files of a release. Those that are not cached can be out of reach.
async fn load(world: &World, store: &Store, release: &LoadedRelease) -> Result<(), String> {
    let mut files: Vec<_> = release.files.iter().collect();
    files.sort_by_key(|(path, _)| *path);
    for (path, file) in files {
        match store
            .read_file(&release.id, file.listed(), Coding::Identity)
            .await
        {
            Ok(Some(bytes)) if releases::belongs(&release.id, path, &bytes) => {}
            Ok(Some(bytes)) => {
                let text = String::from_utf8_lossy(&bytes);
                return Err(format!("{path} of {} is `{text}`", release.id));
            }
            // If releases are retained, it takes days until one is deleted that visitors saw.
            Ok(None) if world.retain_hours() == 0 && !world.ledger.lock().is_visible(&release.id) => {}
            Ok(None) => return Err(format!("{} is not stored", release.id)),
            Err(error @ (StoreError::Damaged { .. } | StoreError::MissingFile(_))) => {
                return Err(error.to_string());
            }
            Err(_) => {}
        }
    }
    Ok(())
}
