//! The deployments that visitors see while any number of rollouts is running.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The maximum number of concurrent rollouts. Each one doubles the number of deployments that visitors see.
pub const MAX_ROLLOUTS: usize = 4;

/// The running rollouts, and one deployment for each combination of them.
///
/// A visitor takes part in each rollout independently of the others. Bit `i` of a combination is set if it includes the
/// changes of rollout `i`. Combination 0 is the live deployment, and combination `1 << i` the candidate of rollout `i`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "Unchecked")]
pub struct VisibleDeployments {
    rollouts: Vec<Rollout>,
    /// Their numbers, by combination.
    deployments: Vec<u64>,
}

/// A progressive rollout: a share of the visitors gets its candidate instead of the live deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rollout {
    /// A unique ID, so that each rollout selects its cohort independently.
    pub id: String,
    /// The share of visitors who get the candidate, in percent.
    pub percent: u8,
    /// When the rollout started.
    pub started_at: Timestamp,
    /// The name of the token that started it.
    pub by: String,
}

/// What the store contains, before validation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Unchecked {
    rollouts: Vec<Rollout>,
    deployments: Vec<u64>,
}

impl VisibleDeployments {
    /// All visitors see one deployment.
    pub fn live_only(deployment: u64) -> Self {
        Self {
            rollouts: Vec::new(),
            deployments: vec![deployment],
        }
    }

    /// The number of the live deployment.
    pub fn live(&self) -> u64 {
        self.deployments[0]
    }

    /// The running rollouts, in the order in which they started.
    pub fn rollouts(&self) -> &[Rollout] {
        &self.rollouts
    }

    /// The numbers of all deployments, by combination.
    pub fn deployments(&self) -> &[u64] {
        &self.deployments
    }

    /// The rollouts, each with the number of its candidate.
    pub fn candidates(&self) -> impl Iterator<Item = (&Rollout, u64)> {
        let numbers = (0..).map(|index| self.deployments[1 << index]);
        self.rollouts.iter().zip(numbers)
    }

    /// For each rollout, whether a deployment includes its changes; `None` if visitors do not see the deployment.
    pub fn rollouts_in(&self, deployment: u64) -> Option<impl Iterator<Item = (&Rollout, bool)>> {
        let combination = self.deployments.iter().position(|number| *number == deployment)?;
        let rollouts = self.rollouts.iter().enumerate();
        Some(rollouts.map(move |(index, rollout)| (rollout, includes(combination, index))))
    }

    /// The same rollouts with other deployments, one for each combination.
    #[must_use]
    pub fn renewed(&self, deployments: Vec<u64>) -> Self {
        debug_assert_eq!(deployments.len(), self.deployments.len());
        Self {
            rollouts: self.rollouts.clone(),
            deployments,
        }
    }

    /// Adds a rollout. `deployments` has its changes added to each current combination.
    #[must_use]
    pub fn started(&self, rollout: Rollout, deployments: Vec<u64>) -> Self {
        debug_assert_eq!(deployments.len(), self.deployments.len());
        let mut next = self.clone();
        next.rollouts.push(rollout);
        next.deployments.extend(deployments);
        next
    }

    /// Changes the share of a rollout.
    #[must_use]
    pub fn with_percent(&self, index: usize, percent: u8) -> Self {
        let mut next = self.clone();
        next.rollouts[index].percent = percent;
        next
    }

    /// Ends a rollout: all visitors get its changes.
    #[must_use]
    pub fn promoted(&self, index: usize) -> Self {
        self.ended(index, true)
    }

    /// Ends a rollout: no visitor gets its changes.
    #[must_use]
    pub fn aborted(&self, index: usize) -> Self {
        self.ended(index, false)
    }

    /// Ends a rollout, and keeps the combinations with or without its changes. Their order gives the new combinations.
    fn ended(&self, index: usize, with_changes: bool) -> Self {
        let mut rollouts = self.rollouts.clone();
        rollouts.remove(index);
        let combinations = self.deployments.iter().enumerate();
        let kept = combinations.filter(|(combination, _)| includes(*combination, index) == with_changes);
        Self {
            rollouts,
            deployments: kept.map(|(_, number)| *number).collect(),
        }
    }
}

impl TryFrom<Unchecked> for VisibleDeployments {
    type Error = String;

    fn try_from(
        Unchecked {
            rollouts,
            deployments,
        }: Unchecked,
    ) -> Result<Self, String> {
        let (count, expected) = (rollouts.len(), 1 << rollouts.len().min(MAX_ROLLOUTS));
        if count > MAX_ROLLOUTS {
            return Err(format!(
                "`rollouts` has {count} entries; expected at most {MAX_ROLLOUTS}"
            ));
        }
        if deployments.len() != expected {
            return Err(format!(
                "`deployments` has {} entries; expected {expected}, one per combination of {count} rollouts",
                deployments.len()
            ));
        }
        if deployments.iter().collect::<BTreeSet<_>>().len() < deployments.len() {
            return Err("`deployments` has an entry twice; expected different deployments".to_owned());
        }
        let ids: BTreeSet<&str> = rollouts.iter().map(|rollout| &*rollout.id).collect();
        if ids.len() < count {
            return Err("`rollouts` has an `id` twice; expected different IDs".to_owned());
        }
        if let Some(Rollout { percent, .. }) = rollouts.iter().find(|rollout| rollout.percent > 99) {
            return Err(format!("a rollout has `percent` {percent}; expected 0 to 99"));
        }
        Ok(Self {
            rollouts,
            deployments,
        })
    }
}

/// Whether a combination includes the changes of a rollout.
fn includes(combination: usize, rollout: usize) -> bool {
    (combination >> rollout) & 1 == 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::{Strategy, any, prop_oneof, proptest};

    use colonnade_testing::cases;
    use jiff::Timestamp;

    use super::{MAX_ROLLOUTS, Rollout, VisibleDeployments, includes};

    /// The changes that a deployment contains.
    type Changes = BTreeSet<usize>;

    #[derive(Debug, Clone)]
    enum Step {
        Deploy,
        Start,
        Promote(usize),
        Abort(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            proptest::strategy::Just(Step::Deploy),
            proptest::strategy::Just(Step::Start),
            any::<usize>().prop_map(Step::Promote),
            any::<usize>().prop_map(Step::Abort),
        ]
    }

    fn rollout(id: usize) -> Rollout {
        Rollout {
            id: id.to_string(),
            percent: 50,
            started_at: Timestamp::UNIX_EPOCH,
            by: "team".to_owned(),
        }
    }

    /// The table, and what each deployment ever created contains, by number.
    struct History {
        table: VisibleDeployments,
        deployments: Vec<Changes>,
    }

    impl History {
        /// Creates a deployment with a change added for each visible one.
        fn with_change(&mut self, change: usize) -> Vec<u64> {
            let numbers = self.table.deployments().iter();
            let created = numbers.map(|number| {
                let mut changes = self.changes(*number).clone();
                changes.insert(change);
                changes
            });
            let created: Vec<Changes> = created.collect();
            let first = self.deployments.len() as u64;
            self.deployments.extend(created);
            (first..self.deployments.len() as u64).collect()
        }

        fn changes(&self, number: u64) -> &Changes {
            &self.deployments[usize::try_from(number).expect("an index")]
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn every_combination_has_exactly_its_changes(steps in vec(step(), 0..24)) {
            let mut history = History {
                table: VisibleDeployments::live_only(0),
                deployments: vec![Changes::new()],
            };
            let mut live = Changes::new();
            let mut running: Vec<usize> = Vec::new();
            for (change, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Deploy => {
                        let renewed = history.with_change(change);
                        history.table = history.table.renewed(renewed);
                        live.insert(change);
                    }
                    Step::Start if running.len() < MAX_ROLLOUTS => {
                        let added = history.with_change(change);
                        history.table = history.table.started(rollout(change), added);
                        running.push(change);
                    }
                    Step::Promote(index) if !running.is_empty() => {
                        let index = index % running.len();
                        history.table = history.table.promoted(index);
                        live.insert(running.remove(index));
                    }
                    Step::Abort(index) if !running.is_empty() => {
                        let index = index % running.len();
                        history.table = history.table.aborted(index);
                        running.remove(index);
                    }
                    Step::Start | Step::Promote(_) | Step::Abort(_) => {}
                }
                for (combination, number) in history.table.deployments().iter().enumerate() {
                    let included = running.iter().enumerate().filter(|(index, _)| includes(combination, *index));
                    let mut expected = live.clone();
                    expected.extend(included.map(|(_, change)| *change));
                    assert_eq!(history.changes(*number), &expected);
                }
                assert_eq!(history.changes(history.table.live()), &live);
                let ids: Vec<String> = history.table.rollouts().iter().map(|rollout| rollout.id.clone()).collect();
                assert_eq!(ids, running.iter().map(ToString::to_string).collect::<Vec<_>>());
                let stored = serde_json::to_string(&history.table).expect("serializable");
                assert_eq!(serde_json::from_str::<VisibleDeployments>(&stored).expect("valid"), history.table);
            }
        }
    }

    #[test]
    fn rollouts_in_deployment_follow_its_combination() {
        let table = VisibleDeployments::live_only(5)
            .started(rollout(0), vec![6])
            .started(rollout(1), vec![7, 8]);
        let included = |deployment| {
            let rollouts = table.rollouts_in(deployment)?;
            Some(rollouts.map(|(_, included)| included).collect::<Vec<_>>())
        };
        assert_eq!(included(5), Some(vec![false, false]));
        assert_eq!(included(6), Some(vec![true, false]));
        assert_eq!(included(7), Some(vec![false, true]));
        assert_eq!(included(8), Some(vec![true, true]));
        assert_eq!(included(9), None);
        let candidates: Vec<u64> = table.candidates().map(|(_, number)| number).collect();
        assert_eq!(candidates, [6, 7]);
    }

    #[test]
    fn contradicting_stored_tables_are_rejected() {
        let rollouts = |ids: &[usize]| ids.iter().map(|id| rollout(*id)).collect::<Vec<_>>();
        let too_large = Rollout {
            percent: 100,
            ..rollout(0)
        };
        for (rollouts, deployments, expected) in [
            (
                rollouts(&[]),
                0,
                "`deployments` has 0 entries; expected 1, one per combination of 0 rollouts",
            ),
            (
                rollouts(&[0]),
                1,
                "`deployments` has 1 entries; expected 2, one per combination of 1 rollouts",
            ),
            (
                rollouts(&[0, 1]),
                5,
                "`deployments` has 5 entries; expected 4, one per combination of 2 rollouts",
            ),
            (
                rollouts(&[0, 1, 2, 3, 4]),
                32,
                "`rollouts` has 5 entries; expected at most 4",
            ),
            (
                rollouts(&[0, 0]),
                4,
                "`rollouts` has an `id` twice; expected different IDs",
            ),
            (
                vec![too_large],
                2,
                "a rollout has `percent` 100; expected 0 to 99",
            ),
        ] {
            let stored = serde_json::json!({ "rollouts": rollouts, "deployments": (1..=deployments).collect::<Vec<u64>>() });
            let error = serde_json::from_value::<VisibleDeployments>(stored).expect_err(expected);
            assert_eq!(error.to_string(), expected);
        }
        let twice = serde_json::json!({ "rollouts": [rollout(0)], "deployments": [1, 1] });
        let error = serde_json::from_value::<VisibleDeployments>(twice).expect_err("a deployment twice");
        assert_eq!(
            error.to_string(),
            "`deployments` has an entry twice; expected different deployments"
        );
    }
}
