//! Deploying: at once, or to a share of the visitors.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Allows, Author, ChangeError, Outcome, Plan, require};
use super::state::{Done, Rollout, moves};
use super::{Deployments, Snapshot};
use crate::clock;
use crate::render::Tried;

/// A wish for other releases than those of the live set.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    /// The release each named section is to have; `None` takes it out of the set.
    pub(crate) releases: BTreeMap<String, Option<String>>,
    /// The deployment that must still be live.
    pub(crate) base: Option<u64>,
    /// The share of visitors, of 100, who see it at first; everybody sees it at once without one.
    pub(crate) percent: Option<u8>,
    /// Who wishes it.
    pub(crate) author: Author,
}

impl Wish {
    /// A set with the wished releases in it.
    pub(super) fn applied_to(&self, releases: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let mut releases = releases.clone();
        for (name, version) in &self.releases {
            match version {
                Some(version) => releases.insert(name.clone(), version.clone()),
                None => releases.remove(name),
            };
        }
        releases
    }
}

impl Deployments {
    /// Makes a new deployment of the live set with some releases replaced, and puts it live or starts its rollout.
    ///
    /// While a rollout of other sections runs, live and candidate each get the change, in one swap.
    pub(crate) async fn deploy(&self, wish: &Wish, allows: Allows<'_>) -> Result<Outcome, ChangeError> {
        require(allows, wish.releases.keys())?;
        let mut tried = Tried::default();
        loop {
            let changing = self.changing.lock().await;
            let snapshot = self.renew().await?;
            let number = self.next_number().await?;
            let Some(plan) = plan(&snapshot, wish, number)? else {
                let number = snapshot.live().ok_or(ChangeError::NothingLive)?.number();
                return Outcome::unchanged(snapshot, number);
            };
            let untried = self.untried(&snapshot, &plan, &mut tried).await?;
            if !untried.is_empty() {
                drop(changing);
                self.try_out(&snapshot, untried, &mut tried).await?;
                continue;
            }
            if let Some(outcome) = self.attempt(&snapshot, plan, number).await? {
                return Ok(outcome);
            }
        }
    }
}

/// What a wish comes to; `None` if everything is so already.
fn plan(snapshot: &Snapshot, wish: &Wish, number: u64) -> Result<Option<Plan>, ChangeError> {
    let live = snapshot.live();
    if let Some(base) = wish.base
        && live.is_none_or(|live| live.number() != base)
    {
        let live = live.map(|live| live.number());
        return Err(ChangeError::Base { base, live });
    }
    let author = &wish.author;
    let none = BTreeMap::new();
    let before = live.map_or(&none, |live| &live.deployment.releases);
    let wanted = wish.applied_to(before);
    let changes = moves(before, &wanted);
    let rollout = snapshot.rollout();
    if let (Some(_), Some(rollout)) = (wish.percent, rollout) {
        return Err(ChangeError::RolloutRuns(rollout.candidate.number()));
    }
    if rollout.is_some() {
        let names: BTreeSet<&String> = wish.releases.keys().collect();
        snapshot.refuse_rolled_out(&names)?;
    }
    refuse_absent(wish, before)?;
    if changes.is_empty() && live.is_some() {
        return Ok(None);
    }
    if let Some(rollout) = rollout {
        let candidate = wish.applied_to(&rollout.candidate.deployment.releases);
        let next = Rollout {
            deployment: number + 1,
            ..rollout.record.clone()
        };
        return Ok(Some(Plan {
            deployments: vec![
                author.deployment(number, wanted),
                author.deployment(number + 1, candidate),
            ],
            state: author.state(snapshot, Done::Deploy, number, Some(next), changes),
        }));
    }
    let (done, live, rollout) = match (wish.percent, live) {
        (None, _) => (Done::Deploy, number, None),
        (Some(_), None) => return Err(ChangeError::NothingLive),
        (Some(percent), Some(live)) => {
            let rollout = Rollout {
                id: format!("{:016x}", rand::random::<u64>()),
                deployment: number,
                percent,
                started_at: clock::now(),
            };
            (Done::Rollout, live.number(), Some(rollout))
        }
    };
    Ok(Some(Plan {
        deployments: vec![author.deployment(number, wanted)],
        state: author.state(snapshot, done, live, rollout, changes),
    }))
}

/// Refuses to take out of a set what is not in it: more likely than not the name is wrong.
fn refuse_absent(wish: &Wish, releases: &BTreeMap<String, String>) -> Result<(), ChangeError> {
    let removed = wish.releases.iter().filter(|(_, version)| version.is_none());
    let absent: Vec<String> = removed
        .filter(|(name, _)| !releases.contains_key(*name))
        .map(|(name, _)| format!("{name} is not in the set"))
        .collect();
    if absent.is_empty() {
        Ok(())
    } else {
        Err(ChangeError::Unknown(absent))
    }
}
