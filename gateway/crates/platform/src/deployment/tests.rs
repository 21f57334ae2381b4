use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::change_queue::{MAX_WAITING, Place};
use super::history::MAX_READ;
use super::metrics::DeploymentMetrics;
use super::{
    Author, ChangeError, ChangeOutcome, ChangeRequest, Command, DeployRequest, Deployments, RollbackTarget,
    RolloutStart, RolloutTarget, Step,
};
use crate::rollout::CanaryAnalysis;
use colonnade_config::RolloutSettings;
use colonnade_model::deployment::{Change, ChangeKind, LiveState};
use colonnade_model::pattern::RequestPath;
use colonnade_store::testing::{put_release, shell, small_section, store};
use colonnade_store::{Store, StoreError};
use futures_util::future::{join, join_all};
use futures_util::poll;

fn request(releases: &[(&str, &str)]) -> DeployRequest {
    let releases = releases
        .iter()
        .map(|(name, version)| ((*name).to_owned(), Some((*version).to_owned())));
    DeployRequest {
        releases: releases.collect(),
        base: None,
        rollout: None,
        accepts_status_changes: false,
    }
}

fn by<'a>(author: &'a Author, command: &'a Command) -> ChangeRequest<'a> {
    ChangeRequest {
        command,
        author,
        may_change: &|_| true,
    }
}

async fn change(deployments: &Deployments, command: Command) -> Result<ChangeOutcome, ChangeError> {
    let author = Author::gateway(None, None);
    deployments.change(&by(&author, &command)).await
}

async fn opened(store: &Arc<Store>) -> Deployments {
    Deployments::open(
        Arc::clone(store),
        None,
        None,
        Arc::default(),
        DeploymentMetrics::default(),
    )
    .await
    .unwrap()
}

async fn deploy(deployments: &Deployments, releases: &[(&str, &str)]) -> u64 {
    let outcome = change(deployments, Command::Deploy(request(releases)))
        .await
        .unwrap();
    assert!(outcome.changed);
    outcome.number
}

/// No peer can publish such releases: what a peer sees of the other conflicts is in
/// `gateway/tests/deploy.rs`.
#[tokio::test]
async fn contract_other_than_shells_is_rejected() {
    let (_folder, store) = store();
    let mut later = small_section("later", "1.0.0", "/later");
    later.release.contract += 1;
    put_release(&store, shell("1.0.0")).await;
    put_release(&store, later).await;
    let releases = request(&[("shell", "1.0.0"), ("later", "1.0.0")]);
    match change(&opened(&store).await, Command::Deploy(releases)).await {
        Err(ChangeError::Conflict(problems)) => assert_eq!(
            problems,
            ["later@1.0.0 has contract 2; shell@1.0.0 has contract 1"]
        ),
        other => panic!("{other:?}"),
    }
    assert_eq!(store.live_state().await.unwrap(), None);
}

#[tokio::test]
async fn step_ends_once_for_all_gateways() {
    let (_folder, store) = store();
    put_release(&store, shell("1.0.0")).await;
    put_release(&store, shell("2.0.0")).await;
    let [first, second] = [opened(&store).await, opened(&store).await];
    deploy(&first, &[("shell", "1.0.0")]).await;
    let mut start = request(&[("shell", "2.0.0")]);
    start.rollout = Some(RolloutStart::Steps(
        "10% for 1h, 50% for 1h, 80% for 1h, 100%".parse().unwrap(),
    ));
    change(&first, Command::Deploy(start)).await.unwrap();
    let snapshot = first.current();
    let rollout = snapshot.rollouts().next().unwrap().record;
    let began = rollout.step_started_at().unwrap();
    let step = |step| Command::Step {
        rollout: RolloutTarget::Id(rollout.id.clone()),
        step,
    };
    let advance = Step::Advance(began);
    assert!(change(&first, step(advance)).await.unwrap().changed);
    // The other gateways decided by the same state.
    for late in [advance, Step::Pause(Some(began))] {
        assert!(!change(&second, step(late)).await.unwrap().changed);
    }
    let state = store.live_state().await.unwrap().unwrap();
    assert_eq!(state.visible.rollouts()[0].percent, 50);
    // An abort does not depend on the step.
    let abort = step(Step::Abort(ChangeKind::AutomaticAbort));
    assert!(change(&second, abort).await.unwrap().changed);
}

#[tokio::test]
async fn figures_of_another_rollout_are_not_recorded() {
    let (_folder, store) = store();
    for version in ["1.0.0", "2.0.0", "3.0.0"] {
        put_release(&store, shell(version)).await;
    }
    let deployments = opened(&store).await;
    deploy(&deployments, &[("shell", "1.0.0")]).await;
    let start = async |version| {
        let mut start = request(&[("shell", version)]);
        start.rollout = Some(RolloutStart::Percent(10));
        change(&deployments, Command::Deploy(start)).await.unwrap();
        let snapshot = deployments.current();
        let rollout = snapshot.rollouts().next().unwrap().record.clone();
        let report = CanaryAnalysis::new(RolloutSettings::default()).report(&rollout);
        Author::gateway(None, Some(report.figures_of(&rollout)))
    };
    let abort = Command::Step {
        rollout: RolloutTarget::Section("shell".to_owned()),
        step: Step::Abort(ChangeKind::Abort),
    };
    let has_figures = async |author: &Author| {
        let outcome = deployments.change(&by(author, &abort)).await;
        outcome.unwrap().state.change.figures.is_some()
    };
    let first = start("2.0.0").await;
    assert!(has_figures(&first).await);
    start("3.0.0").await;
    assert!(!has_figures(&first).await);
}

#[tokio::test(start_paused = true)]
async fn change_during_slow_change_names_this_gateway() {
    let (_folder, store) = store();
    let deployments = opened(&store).await;
    let slow = deployments.hold_off_changes(Place::Unlimited).await.unwrap();
    let failed = change(&deployments, Command::Deploy(request(&[])))
        .await
        .unwrap_err();
    assert_eq!(
        failed.to_string(),
        "this gateway is making another change; try again"
    );
    drop(slow);
}

/// Adds changes of no release to the history.
async fn add_changes(store: &Store, folder: &Path, count: usize) {
    let before = store.live_state().await.unwrap().unwrap();
    let change = |revision| Change {
        revision,
        previous: revision - 1,
        sections: BTreeMap::new(),
        ..before.change.clone()
    };
    let last = before.revision() + count as u64;
    for revision in before.revision() + 1..last {
        let entry = serde_json::to_vec(&change(revision)).unwrap();
        std::fs::write(folder.join(format!("history/{revision}.json")), entry).unwrap();
    }
    let state = LiveState {
        change: change(last),
        ..before.clone()
    };
    assert!(store.compare_and_swap_state(Some(&before), &state).await.unwrap());
}

#[tokio::test]
async fn listed_rollbacks_are_searched_in_recent_changes() {
    let (folder, store) = store();
    let deployments = opened(&store).await;
    for version in ["1.0.0", "2.0.0"] {
        put_release(&store, shell(version)).await;
        deploy(&deployments, &[("shell", version)]).await;
    }
    let previous = async || {
        let deployments = opened(&store).await;
        deployments
            .previous_releases(["shell"].into_iter())
            .await
            .unwrap()
    };
    add_changes(&store, folder.path(), MAX_READ - 1).await;
    assert_eq!(previous().await["shell"], "1.0.0");
    add_changes(&store, folder.path(), 1).await;
    assert_eq!(previous().await, BTreeMap::new());
    // A rollback that someone requests reads on.
    let rollback = Command::RollBack {
        target: RollbackTarget::Section("shell".to_owned()),
        base: None,
    };
    let author = Author::gateway(None, None);
    let plan = opened(&store).await.plan(&by(&author, &rollback)).await;
    let sections = plan.unwrap().change.unwrap().sections;
    assert_eq!(sections["shell"].to.as_deref(), Some("1.0.0"));
}

#[tokio::test]
async fn waiting_changes_are_made_in_order_of_requests() {
    let (_folder, store) = store();
    let versions = ["1.0.0", "2.0.0"];
    let deployments = opened(&store).await;
    for version in versions {
        put_release(&store, shell(version)).await;
        deploy(&deployments, &[("shell", version)]).await;
    }
    let others = deployments.hold_off_changes(Place::Unlimited).await.unwrap();
    let deploy = |number: usize| Command::Deploy(request(&[("shell", versions[number % 2])]));
    let mut deploys: Vec<_> = (0..MAX_WAITING)
        .map(|number| Box::pin(change(&deployments, deploy(number))))
        .collect();
    for deploy in &mut deploys {
        assert!(poll!(deploy).is_pending());
    }
    let one_more = change(&deployments, deploy(0)).await;
    assert!(matches!(
        one_more,
        Err(ChangeError::Store(StoreError::ChangeInProgress))
    ));
    // What takes something back always has a place, behind those that came before.
    let rollback = Command::RollBack {
        target: RollbackTarget::Deployment(1),
        base: None,
    };
    let mut rollback = Box::pin(change(&deployments, rollback));
    assert!(poll!(&mut rollback).is_pending());
    drop(others);
    let (rollback, deploys) = join(rollback, join_all(deploys)).await;
    let revisions: Vec<u64> = deploys
        .into_iter()
        .chain([rollback])
        .map(|outcome| outcome.unwrap().state.revision())
        .collect();
    assert_eq!(revisions, (3..=67).collect::<Vec<u64>>());
}

#[tokio::test]
async fn page_moves_between_sections_in_one_deploy() {
    let (_folder, store) = store();
    for sample in [
        shell("1.0.0"),
        small_section("one", "1.0.0", "/a"),
        small_section("two", "1.0.0", "/b"),
        small_section("one", "2.0.0", "/b"),
        small_section("two", "2.0.0", "/a"),
    ] {
        put_release(&store, sample).await;
    }
    let deployments = opened(&store).await;
    deploy(
        &deployments,
        &[("shell", "1.0.0"), ("one", "1.0.0"), ("two", "1.0.0")],
    )
    .await;
    let alone = change(&deployments, Command::Deploy(request(&[("one", "2.0.0")]))).await;
    assert!(matches!(alone, Err(ChangeError::Conflict(_))));
    deploy(&deployments, &[("one", "2.0.0"), ("two", "2.0.0")]).await;
    let snapshot = deployments.current();
    let page = snapshot
        .live()
        .unwrap()
        .page(&RequestPath::parse("/a").unwrap())
        .unwrap();
    assert_eq!(page.section.name, "two");
}
