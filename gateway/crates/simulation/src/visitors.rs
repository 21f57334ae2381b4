//! Visitors: each document that they see must be one deployment.

use std::sync::Arc;
use std::time::Duration;

use colonnade_model::pattern::RequestPath;
use colonnade_platform::deployment::Snapshot;
use colonnade_platform::rollout::{COOKIE, CohortDraws};
use colonnade_store::loaded::{LoadedDeployment, LoadedRelease};
use colonnade_store::{Store, StoreError};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::cookie::{self, Cookies};
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
            let Some(deployment) = selected(&snapshot, &mut headers) else {
                continue;
            };
            if let Err(violation) = check(&world, &snapshot, &deployment, &section) {
                world.violated(&format!("{gateway} serves /{section}: {violation}"));
            }
            // Another gateway at the same revision shows the visitor the same.
            if let Some(same) = other.snapshot()
                && same.state() == snapshot.state()
                && selected(&same, &mut headers).map(|selected| selected.number())
                    != Some(deployment.number())
            {
                world.violated(&format!(
                    "{gateway} and {other} show a visitor different deployments"
                ));
            }
            for release in deployment.releases.iter().filter(|each| each.id.name == section) {
                let Some(process) = other.process() else { continue };
                // It can be behind, and a replica has only what its own documents need.
                let current = process.deployments.current();
                let shows = |shown: &Arc<LoadedDeployment>| shown.number() == deployment.number();
                let knows = current.release(&release.id.name, &release.id.version).is_some();
                if !knows || (other.is_reader && !current.visible().iter().any(shows)) {
                    continue;
                }
                if let Err(violation) = load(&world, process.deployments.store(), release).await {
                    world.violated(&format!("{other} serves files: {violation}"));
                }
            }
        }
    }
}

/// The deployment that the visitor sees. Keeps the cookie.
fn selected(snapshot: &Snapshot, headers: &mut HeaderMap) -> Option<Arc<LoadedDeployment>> {
    let rollouts = snapshot.state()?.visible.rollouts();
    let draws = CohortDraws::new(Cookies::new(headers, false), rollouts);
    let deployment = Arc::clone(&snapshot.visible()[draws.combination()]);
    if let Some(value) = draws.new_cookie() {
        let mut response = HeaderMap::new();
        cookie::set(&mut response, COOKIE, &value, 60, false);
        headers.insert(COOKIE_HEADER, cookie::returned(&response));
    }
    Some(deployment)
}

/// Checks that all of a document belongs to one deployment that was shown.
fn check(world: &World, snapshot: &Snapshot, loaded: &LoadedDeployment, section: &str) -> Result<(), String> {
    let number = loaded.number();
    let ledger = world.ledger.lock();
    let numbers: Vec<u64> = snapshot.visible().iter().map(|each| each.number()).collect();
    if snapshot.state().map(|state| state.visible.deployments()) != Some(&numbers) {
        return Err(format!("deployments {numbers:?} of another revision"));
    }
    if !ledger.shown.contains(&number) {
        return Err(format!("deployment {number} was never live"));
    }
    let record = ledger.deployments.get(&number);
    if record != Some(&loaded.deployment) {
        return Err(format!("deployment {number} as {:?}", loaded.deployment));
    }
    let named = &loaded.deployment.releases;
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
