//! Rolling back: one section to the release it had before, or the whole set to what it was.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Allows, Author, ChangeError, Outcome, Plan, require};
use super::state::{Change, Done, Move, Rollout, moves};
use super::{Deployments, Snapshot};
use crate::store::StoreError;

/// What is to go back.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// One section, to the release that was live before the one it has.
    Section(String),
    /// The whole set, to what it was in this deployment.
    Deployment(u64),
    /// The whole set, to what was live before.
    Before,
}

impl Deployments {
    /// Rolls back, as a new deployment that is live at once.
    ///
    /// A section's rollback leaves every other section as it is, in the candidate of a rollout, too. A rollback of the
    /// whole set ends a rollout.
    pub(crate) async fn roll_back(
        &self,
        target: &Target,
        author: &Author,
        allows: Allows<'_>,
    ) -> Result<Outcome, ChangeError> {
        match target {
            Target::Section(section) => require(allows, [section].into_iter())?,
            // What a whole set is, is a matter of all its sections.
            Target::Deployment(_) | Target::Before => require(allows, [&"*".to_owned()].into_iter())?,
        }
        let _changing = self.changing.lock().await;
        loop {
            let snapshot = self.renew().await?;
            let number = self.next_number().await?;
            let plan = match target {
                Target::Section(section) => {
                    Some(self.section_plan(&snapshot, section, number, author).await?)
                }
                Target::Deployment(to) => self.set_plan(&snapshot, *to, number, author).await?,
                Target::Before => {
                    let to = self.before(&snapshot).await?;
                    self.set_plan(&snapshot, to, number, author).await?
                }
            };
            let Some(plan) = plan else {
                let number = snapshot.live().ok_or(ChangeError::NothingLive)?.number();
                return Outcome::unchanged(snapshot, number);
            };
            if let Some(outcome) = self.attempt(&snapshot, plan, number).await? {
                return Ok(outcome);
            }
        }
    }

    async fn section_plan(
        &self,
        snapshot: &Snapshot,
        section: &String,
        number: u64,
        author: &Author,
    ) -> Result<Plan, ChangeError> {
        let live = snapshot.live().ok_or(ChangeError::NothingLive)?;
        snapshot.refuse_rolled_out(&BTreeSet::from([section]))?;
        let before = &live.deployment.releases;
        let Some(present) = before.get(section) else {
            return Err(ChangeError::NothingBefore(format!("`{section}` is not live")));
        };
        let earlier = self.release_before(snapshot, section, present).await?;
        let go_back = |releases: &BTreeMap<String, String>| {
            let mut releases = releases.clone();
            releases.insert(section.clone(), earlier.clone());
            releases
        };
        let wanted = go_back(before);
        let changes = moves(before, &wanted);
        let mut deployments = vec![author.deployment(number, wanted)];
        let rollout = snapshot.rollout().map(|running| {
            let candidate = go_back(&running.candidate.deployment.releases);
            deployments.push(author.deployment(number + 1, candidate));
            Rollout {
                deployment: number + 1,
                ..running.record.clone()
            }
        });
        Ok(Plan {
            deployments,
            state: author.state(snapshot, Done::Rollback, number, rollout, changes),
        })
    }

    async fn set_plan(
        &self,
        snapshot: &Snapshot,
        to: u64,
        number: u64,
        author: &Author,
    ) -> Result<Option<Plan>, ChangeError> {
        let live = snapshot.live().ok_or(ChangeError::NothingLive)?;
        let earlier = self.store.deployment(to).await?;
        let wanted = earlier.ok_or(ChangeError::NoDeployment(to))?.releases;
        let changes = moves(&live.deployment.releases, &wanted);
        if changes.is_empty() && snapshot.rollout().is_none() {
            return Ok(None);
        }
        let mut state = author.state(snapshot, Done::Rollback, number, None, changes);
        state.change.candidate = snapshot.rollout().map(|running| running.candidate.number());
        state.change.restores = Some(to);
        Ok(Some(Plan {
            deployments: vec![author.deployment(number, wanted)],
            state,
        }))
    }

    /// The release a section had live before the one it has: before that was put live, so that a rollback after a
    /// rollback goes one further back. The time a section was not in the set is looked past.
    async fn release_before(
        &self,
        snapshot: &Snapshot,
        section: &str,
        present: &str,
    ) -> Result<String, ChangeError> {
        let mut sought = present.to_owned();
        let mut was_out = false;
        let put_live = |change: &Change| {
            let Move { from, to } = change.sections.get(section)?;
            let is_it = match to {
                Some(to) => change.action.is_forward() && *to == sought,
                None => was_out,
            };
            if !is_it {
                return None;
            }
            was_out = from.is_none();
            match from {
                Some(from) if from != present => return Some(from.clone()),
                Some(from) => sought.clone_from(from),
                None => {}
            }
            None
        };
        let before = self.search(snapshot, put_live).await?;
        before.ok_or_else(|| {
            ChangeError::NothingBefore(format!(
                "`{section}` had no release before; a deploy can take it out of the set"
            ))
        })
    }

    /// The deployment that was live before the one that is; before the one that was put back, where that is one and
    /// ever was live.
    async fn before(&self, snapshot: &Snapshot) -> Result<u64, ChangeError> {
        let mut sought = snapshot.live().ok_or(ChangeError::NothingLive)?.number();
        let mut otherwise = None;
        let made_live = |change: &Change| {
            if change.live != sought || change.before == Some(sought) {
                return None;
            }
            match change.restores {
                Some(restored) => {
                    otherwise = otherwise.or(change.before);
                    sought = restored;
                    None
                }
                None => Some(change.before),
            }
        };
        let before = self.search(snapshot, made_live).await?;
        before
            .unwrap_or(otherwise)
            .ok_or_else(|| ChangeError::NothingBefore("nothing was live before".to_owned()))
    }

    /// Looks through the changes that altered what is live, the newest first.
    async fn search<T>(
        &self,
        snapshot: &Snapshot,
        mut find: impl FnMut(&Change) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        let newest = snapshot.state().map(|state| state.change.clone());
        let mut change = match newest {
            Some(newest) if !newest.altered_live() => self.store.change(newest.previous).await?,
            newest => newest,
        };
        while let Some(present) = change {
            if let Some(found) = find(&present) {
                return Ok(Some(found));
            }
            change = self.store.change(present.previous).await?;
        }
        Ok(None)
    }
}

impl Snapshot {
    /// Refuses to touch sections that differ between what is live and the candidate of a rollout.
    pub(super) fn refuse_rolled_out(&self, sections: &BTreeSet<&String>) -> Result<(), ChangeError> {
        let (Some(live), Some(running)) = (self.live(), self.rollout()) else {
            return Ok(());
        };
        let differing = moves(&live.deployment.releases, &running.candidate.deployment.releases);
        let touched: Vec<String> = differing
            .into_keys()
            .filter(|name| sections.contains(name))
            .collect();
        if touched.is_empty() {
            return Ok(());
        }
        Err(ChangeError::InRollout {
            candidate: running.candidate.number(),
            sections: touched,
        })
    }
}
