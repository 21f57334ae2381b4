//! The ways on from a rollout that runs: another share of the visitors, live for everybody, or taken back.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::change::{Allows, Author, ChangeError, Outcome, Plan, require};
use super::state::{Done, Move, Rollout, State, moves};
use super::{Deployments, Set, Snapshot};

/// A rollout as a view of the store has it.
#[derive(Debug)]
pub(crate) struct Running {
    /// What the store says about it.
    pub(crate) record: Rollout,
    /// The deployment that is rolled out.
    pub(crate) candidate: Arc<Set>,
}

/// What is to become of the candidate.
#[derive(Debug, Clone, Copy)]
enum Way {
    Share(u8),
    Live,
    Back(Done),
}

impl Deployments {
    /// Shows the candidate to another share of the visitors or, without one, puts it live for everybody.
    pub(crate) async fn promote(
        &self,
        number: u64,
        percent: Option<u8>,
        author: &Author,
        allows: Allows<'_>,
    ) -> Result<Outcome, ChangeError> {
        let way = percent.map_or(Way::Live, Way::Share);
        self.move_on(number, None, way, author, allows).await
    }

    /// Takes the candidate back: everybody sees what is live.
    pub(crate) async fn abort(
        &self,
        number: u64,
        author: &Author,
        allows: Allows<'_>,
    ) -> Result<Outcome, ChangeError> {
        self.move_on(number, None, Way::Back(Done::Abort), author, allows)
            .await
    }

    /// Takes a candidate back that failed, if its rollout still is the one that was judged.
    pub(crate) async fn take_back(&self, rollout: &Rollout, reason: String) -> Result<Outcome, ChangeError> {
        let author = Author {
            by: "gateway".to_owned(),
            reason: Some(reason),
        };
        let way = Way::Back(Done::AutomaticAbort);
        self.move_on(rollout.deployment, Some(&rollout.id), way, &author, &|_| true)
            .await
    }

    async fn move_on(
        &self,
        number: u64,
        id: Option<&str>,
        way: Way,
        author: &Author,
        allows: Allows<'_>,
    ) -> Result<Outcome, ChangeError> {
        let _changing = self.changing.lock().await;
        loop {
            let snapshot = self.renew().await?;
            let (live, running) = snapshot.running(number)?;
            if id.is_some_and(|id| id != running.record.id) {
                let candidate = Some(running.candidate.number());
                return Err(ChangeError::NotCandidate { number, candidate });
            }
            let forth = moves(&live.deployment.releases, &running.candidate.deployment.releases);
            require(allows, forth.keys())?;
            let Some(state) = next(&snapshot, live, running, forth, way, author) else {
                return Outcome::unchanged(snapshot, number);
            };
            if let Some(outcome) = self.attempt(&snapshot, Plan::new(state), number).await? {
                return Ok(outcome);
            }
        }
    }
}

fn next(
    snapshot: &Snapshot,
    live: &Set,
    running: &Running,
    forth: BTreeMap<String, Move>,
    way: Way,
    author: &Author,
) -> Option<State> {
    let candidate = running.candidate.number();
    let mut state = match way {
        Way::Share(percent) if percent == running.record.percent => return None,
        Way::Share(percent) => {
            let rollout = Rollout {
                percent,
                ..running.record.clone()
            };
            author.state(
                snapshot,
                Done::Percent,
                live.number(),
                Some(rollout),
                BTreeMap::new(),
            )
        }
        Way::Live => author.state(snapshot, Done::Promote, candidate, None, forth),
        Way::Back(done) => {
            let back = moves(&running.candidate.deployment.releases, &live.deployment.releases);
            author.state(snapshot, done, live.number(), None, back)
        }
    };
    state.change.candidate = Some(candidate);
    Some(state)
}

impl Snapshot {
    /// What is live and the rollout of this candidate.
    fn running(&self, number: u64) -> Result<(&Arc<Set>, &Running), ChangeError> {
        let running = self.rollout();
        match (self.live(), running) {
            (Some(live), Some(running)) if running.candidate.number() == number => Ok((live, running)),
            _ => Err(ChangeError::NotCandidate {
                number,
                candidate: running.map(|running| running.candidate.number()),
            }),
        }
    }
}
