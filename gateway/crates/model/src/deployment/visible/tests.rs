use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof, proptest};

use colonnade_testing::cases;
use jiff::Timestamp;

use crate::secret::Secret;

use super::{Moment, Rollout, RolloutProgress, SetName, VisibleDeployments};

#[derive(Debug, Clone)]
enum Step {
    Deploy,
    Restore,
    Start,
    Promote(usize),
    Abort(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        proptest::strategy::Just(Step::Deploy),
        proptest::strategy::Just(Step::Restore),
        proptest::strategy::Just(Step::Start),
        any::<usize>().prop_map(Step::Promote),
        any::<usize>().prop_map(Step::Abort),
    ]
}

fn rollout(candidate: u64, since: u64) -> Rollout {
    Rollout {
        id: candidate.to_string(),
        key: Secret::none(),
        candidate,
        since,
        percent: 50,
        started_at: Timestamp::UNIX_EPOCH,
        by: "team".to_owned(),
        progress: None,
        unknown: serde_json::Map::new(),
    }
}

fn moment(revision: u64) -> Moment {
    Moment {
        revision,
        at: Timestamp::UNIX_EPOCH,
    }
}

/// All sets of a live deployment with these candidates.
fn sets(live: u64, candidates: &[u64]) -> impl Iterator<Item = SetName> {
    (0..1_usize << candidates.len()).map(move |chosen| {
        let included = candidates.iter().enumerate();
        let included = included.filter(move |(index, _)| chosen >> index & 1 == 1);
        SetName::with(live, included.map(|(_, number)| *number))
    })
}

proptest! {
    #![proptest_config(cases(256))]

    // Each revision offers all sets of its live deployment and candidates, and no other set was
    // offered.
    #[test]
    fn sets_that_visitors_got_were_offered(steps in vec(step(), 0..10)) {
        let mut visible = VisibleDeployments::first(1, 1);
        let (mut newest, mut live, mut running) = (1, 1, Vec::<u64>::new());
        let mut offered: BTreeSet<SetName> = sets(1, &[]).collect();
        let mut candidates = Vec::new();
        let mut lives = vec![1];
        for (step, revision) in steps.into_iter().zip(2..) {
            let at = moment(revision);
            match step {
                Step::Deploy | Step::Restore => {
                    newest += 1;
                    live = newest;
                    let restores = matches!(step, Step::Restore);
                    visible = if restores { visible.restored(live, at) } else { visible.replaced(live, at) };
                    running.retain(|_| !restores);
                }
                Step::Start if running.len() < 4 => {
                    newest += 1;
                    visible = visible.started(rollout(newest, revision));
                    running.push(newest);
                    candidates.push(newest);
                }
                Step::Promote(index) if !running.is_empty() => {
                    let index = index % running.len();
                    live = running.remove(index);
                    visible = visible.promoted(index, live, at);
                }
                Step::Abort(index) if !running.is_empty() => {
                    let index = index % running.len();
                    visible = visible.aborted(index, at);
                    running.remove(index);
                }
                Step::Start | Step::Promote(_) | Step::Abort(_) => {}
            }
            lives.push(live);
            offered.extend(sets(live, &running));
            let stored = serde_json::to_string(&visible).expect("serializable");
            assert_eq!(serde_json::from_str::<VisibleDeployments>(&stored).expect("valid"), visible);
        }
        assert_eq!(visible.live(), live);
        assert!(visible.rollouts().iter().map(|rollout| rollout.candidate).eq(running.iter().copied()));
        candidates.truncate(8);
        for live in lives.into_iter().chain(candidates.clone()) {
            for set in sets(live, &candidates) {
                assert_eq!(visible.has_offered(&set), offered.contains(&set), "{set} in {visible:?}");
            }
        }
    }
}

#[test]
fn forgotten_set_is_no_longer_offered() {
    let visible = VisibleDeployments::first(1, 1)
        .started(rollout(2, 2))
        .replaced(3, moment(3))
        .aborted(0, moment(4))
        .previewed(4, moment(5));
    for (forgotten, expected) in [
        (vec![], ["1", "1.2", "3", "3.2"].as_slice()),
        (vec![1, 4], &["3", "3.2"]),
        (vec![2], &["1", "3"]),
        (vec![1, 2], &["3"]),
    ] {
        let kept = visible.without(&forgotten);
        let sets = ["1", "1.2", "2", "3", "3.2", "4", "3.4"];
        let offered: Vec<&str> = sets
            .into_iter()
            .filter(|set| kept.has_offered(&set.parse().unwrap()))
            .collect();
        assert_eq!(offered, expected, "{forgotten:?}");
    }
}

#[test]
fn contradicting_stored_sets_are_rejected() {
    let too_large = Rollout {
        percent: 100,
        ..rollout(2, 1)
    };
    let same_id = Rollout {
        id: "2".to_owned(),
        ..rollout(3, 1)
    };
    for (rollouts, expected) in [
        (
            vec![rollout(2, 1), same_id],
            "`rollouts` has an `id` twice; expected different IDs",
        ),
        (
            vec![rollout(1, 1)],
            "two of the live deployment and the candidates have the same number; expected different ones",
        ),
        (vec![too_large], "a rollout has `percent` 100; expected 0 to 99"),
    ] {
        let stored = serde_json::json!({ "live": 1, "since": 1, "rollouts": rollouts });
        let error = serde_json::from_value::<VisibleDeployments>(stored).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    }
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
        ..rollout(2, 1)
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
