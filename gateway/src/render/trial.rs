//! Rendering what is not asked for yet: to find out whether it can be, and to have it when it is.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::timeout;

use super::pool::Failure;
use super::protocol::Cause;
use super::{Key, Renderer, Wanted};
use crate::clock;
use crate::deployment::{PageAnswer, Set};
use crate::release::SHELL;
use crate::store::{ReleaseId, Store};

/// How long a page that is tried out may wait for a worker: nobody waits for it but whoever deploys.
const PATIENCE: Duration = Duration::from_secs(10);

/// After so many pages that cannot be rendered the others are not tried: each may cost a worker all the time it may take.
const ENOUGH: usize = 10;

/// The pairs of a shell and a section that were found to render together.
#[derive(Debug, Default)]
pub(crate) struct Tried(HashSet<Pair>);

type Pair = (ReleaseId, ReleaseId);

impl Tried {
    /// Notes that a set needs no trial, or no further one.
    pub(crate) fn add(&mut self, set: &Set) {
        self.0.extend(pairs(set));
    }

    /// Whether every section of a set was tried out in its shell.
    pub(crate) fn covers(&self, set: &Set) -> bool {
        pairs(set).all(|pair| self.0.contains(&pair))
    }

    fn has(&self, set: &Set, page: Option<&PageAnswer>) -> bool {
        let name = page.map_or(SHELL, |page| &page.section.name);
        pair(set, name).is_none_or(|pair| self.0.contains(&pair))
    }
}

/// Each of a set's releases with its shell; the shell's own page goes with the shell itself.
fn pairs(set: &Set) -> impl Iterator<Item = Pair> {
    set.releases
        .iter()
        .filter_map(|release| pair(set, &release.id.name))
}

fn pair(set: &Set, name: &str) -> Option<Pair> {
    Some((set.release(SHELL)?.id.clone(), set.release(name)?.id.clone()))
}

impl Renderer {
    /// Whether pages are rendered at all.
    pub(crate) fn is_on(&self) -> bool {
        self.engine.is_some()
    }

    /// Renders an example of each page that names one, and the shell's own, unless they were tried; says which cannot
    /// be rendered. `live` is what the set is to take the place of: what fails there, too, is no news. What is rendered
    /// is kept.
    pub(crate) async fn try_out(
        &self,
        store: &dyn Store,
        set: &Set,
        live: Option<&Set>,
        tried: &Tried,
    ) -> Vec<String> {
        let mut problems = Vec::new();
        let examples = set.examples().map(|(page, path)| (Some(page), path));
        for (page, path) in examples.chain([(None, "/")]) {
            let day = clock::today();
            let client = None;
            let wanted = Wanted {
                set,
                page,
                path,
                day,
                client,
            };
            if tried.has(set, page) {
                continue;
            }
            let Err(failure) = self.prepare(store, wanted).await else {
                continue;
            };
            if self.fails_in(store, live, wanted).await {
                continue;
            }
            problems.push(describe(wanted, &failure));
            if problems.len() == ENOUGH {
                problems.push("further pages were not tried".to_owned());
                break;
            }
        }
        problems
    }

    /// Whether pages are rendered that nobody has asked for yet.
    pub(crate) fn warms(&self) -> bool {
        self.is_on() && self.warms
    }

    /// Renders what a set's pages name and is not kept yet, one after the other, unless that is switched off.
    pub(crate) async fn warm(&self, store: &dyn Store, set: &Set) {
        if !self.warms() {
            return;
        }
        for (page, path) in set.paths() {
            let (page, day) = (Some(page), clock::today());
            let client = None;
            let wanted = Wanted {
                set,
                page,
                path,
                day,
                client,
            };
            self.body(store, wanted).await;
        }
    }

    /// Whether a page cannot be rendered in another set that has the same release of its section.
    async fn fails_in(&self, store: &dyn Store, other: Option<&Set>, wanted: Wanted<'_>) -> bool {
        let (Some(set), Some(page)) = (other, wanted.page) else {
            return false;
        };
        let there = set.release(&page.section.name);
        if there.is_none_or(|release| release.id.version != page.section.version) {
            return false;
        }
        let there = self.prepare(store, Wanted { set, ..wanted }).await;
        there.is_err_and(|failure| failure.cause.is_own())
    }

    /// Has a page rendered and kept, if it is not.
    async fn prepare(&self, store: &dyn Store, wanted: Wanted<'_>) -> Result<(), Failure> {
        let (Some(key), Some(engine)) = (Key::of(wanted), &self.engine) else {
            return Ok(());
        };
        if engine.kept(&key, wanted.day).is_some() {
            return Ok(());
        }
        let keep = Some((key, wanted.day));
        let Some(commission) = self.commission(store, wanted, None, keep).await? else {
            return Ok(());
        };
        let work = engine.carry_out(commission, PATIENCE, true);
        // Longer than a render may take, also where none can be started.
        match timeout(2 * PATIENCE, work).await {
            Ok(outcome) => outcome.map(drop),
            Err(_) => Err(Failure::new(Cause::Late, "it was not done in time; try again")),
        }
    }
}

fn describe(wanted: Wanted<'_>, failure: &Failure) -> String {
    let Failure { message, .. } = failure;
    match wanted.page {
        Some(page) => format!(
            "the page {} of {}@{} cannot be rendered at {}: {message}",
            page.pattern, page.section.name, page.section.version, wanted.path
        ),
        None => format!(
            "the page of {} for what is not found cannot be rendered: {message}",
            wanted.release()
        ),
    }
}
