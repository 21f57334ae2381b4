use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof, proptest};

use colonnade_testing::cases;
use jiff::Timestamp;

use crate::secret::Secret;

use super::{MAX_ROLLOUTS, Rollout, RolloutProgress, VisibleDeployments, includes};

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
        key: Secret::none(),
        percent: 50,
        started_at: Timestamp::UNIX_EPOCH,
        by: "team".to_owned(),
        progress: None,
        unknown: serde_json::Map::new(),
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

/// A rollout in the second step, with another share.
fn rollout_in_steps(percent: u8) -> Rollout {
    let steps = "10% for 1m, 50% for 1m, 80% for 1m, 100%".parse().unwrap();
    let progress = RolloutProgress {
        step: 1,
        ..RolloutProgress::new(steps, Timestamp::UNIX_EPOCH)
    };
    Rollout {
        percent,
        progress: Some(progress),
        ..rollout(0)
    }
}

// A gateway of the version before steps changes the share and keeps the progress.
#[test]
fn share_below_the_step_means_paused() {
    for (percent, is_active) in [(0, false), (49, false), (50, true), (90, true)] {
        let rollout = rollout_in_steps(percent);
        assert_eq!(rollout.active_progress().is_some(), is_active, "{percent}");
    }
}

#[test]
fn next_step_never_lowers_the_share() {
    for (percent, expected) in [(50, Some(2)), (79, Some(2)), (80, None), (99, None)] {
        let rollout = rollout_in_steps(percent);
        let next = rollout.progress.unwrap().advanced(percent, Timestamp::UNIX_EPOCH);
        assert_eq!(next.map(|next| next.step), expected, "{percent}");
    }
}

#[test]
fn unknown_progress_of_newer_gateways_is_kept() {
    let mut stored = serde_json::to_value(rollout_in_steps(50)).unwrap();
    stored["progress"]["weather"] = "sunny".into();
    let read: Rollout = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), stored);
}
