use std::sync::Arc;

use super::{Author, ChangeError, DeployRequest, Deployments, RolloutStart};
use crate::metrics::DeploymentMetrics;
use colonnade_model::pattern::RequestPath;
use colonnade_store::testing::{Sample, put_release, section, shell, small_section, store};
use colonnade_store::{FolderStore, Store};

fn request(releases: &[(&str, &str)]) -> DeployRequest {
    let releases = releases
        .iter()
        .map(|(name, version)| ((*name).to_owned(), Some((*version).to_owned())));
    DeployRequest {
        releases: releases.collect(),
        base: None,
        rollout: None,
        author: Author {
            by: "test".to_owned(),
            reason: None,
        },
    }
}

fn allow_all(_: &str) -> bool {
    true
}

async fn opened(store: &Arc<FolderStore>) -> Deployments {
    Deployments::open(
        Arc::clone(store) as Arc<dyn Store>,
        None,
        None,
        Arc::default(),
        DeploymentMetrics::default(),
    )
    .await
    .unwrap()
}

async fn deploy(deployments: &Deployments, releases: &[(&str, &str)]) -> u64 {
    let outcome = deployments.deploy(&request(releases), &allow_all).await.unwrap();
    assert!(outcome.changed);
    outcome.number
}

/// The conflicts of a deployment of these samples.
async fn conflicts(samples: Vec<Sample>) -> Vec<String> {
    let (_folder, store) = store();
    let mut request = request(&[]);
    for sample in samples {
        let version = sample.release.version.clone();
        request
            .releases
            .insert(sample.release.name.clone(), Some(version));
        put_release(&*store, sample).await;
    }
    let deployments = opened(&store).await;
    match deployments.deploy(&request, &allow_all).await {
        Err(ChangeError::Conflict(problems)) => {
            assert_eq!(store.live_state().await.unwrap(), None);
            assert!(store.deployments().await.unwrap().is_empty());
            problems
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn deploy_starts_from_live_deployment() {
    let (_folder, store) = store();
    put_release(&*store, shell("1.0.0")).await;
    put_release(&*store, section("directory", "1.0.0")).await;
    put_release(&*store, section("directory", "1.1.0")).await;
    let deployments = opened(&store).await;
    assert!(deployments.current().live().is_none());
    assert_eq!(
        deploy(&deployments, &[("shell", "1.0.0"), ("directory", "1.0.0")]).await,
        1
    );
    assert_eq!(deploy(&deployments, &[("directory", "1.1.0")]).await, 2);
    let snapshot = deployments.current();
    let live = snapshot.live().unwrap();
    assert_eq!(live.deployment.releases["shell"], "1.0.0");
    assert_eq!(live.deployment.releases["directory"], "1.1.0");
    assert!(
        snapshot.deployment(1).is_some(),
        "open tabs stay on the first deployment"
    );
    assert!(snapshot.release("directory", "1.0.0").is_some());
}

#[tokio::test]
async fn step_ends_once_for_all_gateways() {
    let (_folder, store) = store();
    put_release(&*store, shell("1.0.0")).await;
    put_release(&*store, shell("2.0.0")).await;
    let [first, second] = [opened(&store).await, opened(&store).await];
    deploy(&first, &[("shell", "1.0.0")]).await;
    let mut start = request(&[("shell", "2.0.0")]);
    start.rollout = Some(RolloutStart::Steps(
        "10% for 1h, 50% for 1h, 80% for 1h, 100%".parse().unwrap(),
    ));
    first.deploy(&start, &allow_all).await.unwrap();
    let snapshot = first.current();
    let rollout = snapshot.rollouts().next().unwrap().record;
    let began = rollout.step_started_at().unwrap();
    let reason = || "the time is over".to_owned();
    assert!(first.advance(rollout, began, reason()).await.unwrap().changed);
    // The other gateways decided by the same state.
    assert!(!second.advance(rollout, began, reason()).await.unwrap().changed);
    let late = second.pause_automatically(rollout, began, reason()).await;
    assert!(!late.unwrap().changed);
    let state = store.live_state().await.unwrap().unwrap();
    assert_eq!(state.visible.rollouts()[0].percent, 50);
    // An abort does not depend on the step.
    let abort = second.abort_automatically(rollout, "it fails".to_owned()).await;
    assert!(abort.unwrap().changed);
}

#[tokio::test(start_paused = true)]
async fn change_during_slow_change_names_this_gateway() {
    let (_folder, store) = store();
    let deployments = opened(&store).await;
    let slow = deployments.hold_off_changes().await.unwrap();
    let failed = deployments.deploy(&request(&[]), &allow_all).await.unwrap_err();
    assert_eq!(
        failed.to_string(),
        "this gateway is making another change; try again"
    );
    drop(slow);
}

#[tokio::test]
async fn unchanged_deploy_creates_no_deployment() {
    let (_folder, store) = store();
    put_release(&*store, shell("1.0.0")).await;
    let deployments = opened(&store).await;
    deploy(&deployments, &[("shell", "1.0.0")]).await;
    for releases in [&[("shell", "1.0.0")][..], &[]] {
        let again = deployments.deploy(&request(releases), &allow_all).await.unwrap();
        assert_eq!((again.number, again.changed), (1, false));
    }
    assert_eq!(store.deployments().await.unwrap(), [1]);
}

#[tokio::test]
async fn live_deployment_survives_restart() {
    let (_folder, store) = store();
    put_release(&*store, shell("1.0.0")).await;
    put_release(&*store, section("directory", "1.0.0")).await;
    deploy(
        &opened(&store).await,
        &[("shell", "1.0.0"), ("directory", "1.0.0")],
    )
    .await;
    let snapshot = opened(&store).await.current();
    let live = snapshot.live().unwrap();
    let page = live.page(&RequestPath::parse("/state/Ohio").unwrap()).unwrap();
    assert_eq!(
        (page.section.name.as_str(), page.pattern.as_str()),
        ("directory", "/state/:state")
    );
    assert_eq!(live.indexable_paths().collect::<Vec<_>>(), ["/", "/state/Texas"]);
}

#[tokio::test]
async fn all_unpublished_releases_are_listed() {
    let (_folder, store) = store();
    put_release(&*store, shell("1.0.0")).await;
    let deployments = opened(&store).await;
    let request = request(&[("shell", "1.0.0"), ("legal", "9.9.9"), ("articles", "../../x")]);
    let Err(ChangeError::UnknownReleases(problems)) = deployments.deploy(&request, &allow_all).await else {
        panic!("deployed");
    };
    assert_eq!(
        problems,
        [
            "articles@../../x is not published",
            "legal@9.9.9 is not published"
        ]
    );
}

#[tokio::test]
async fn deployment_without_shell_is_rejected() {
    let problems = conflicts(vec![section("directory", "1.0.0")]).await;
    assert_eq!(problems, ["the deployment has no `shell`"]);
}

#[tokio::test]
async fn pattern_collision_names_both_sections() {
    let one = small_section("one", "1.0.0", "/a/:x");
    let two = small_section("two", "1.0.0", "/a/:y");
    let problems = conflicts(vec![shell("1.0.0"), one, two]).await;
    assert_eq!(
        problems,
        ["pattern `/a/:x` of one and pattern `/a/:y` of two collide"]
    );
}

#[tokio::test]
async fn slot_filled_twice_is_rejected() {
    let mut two = section("two", "1.0.0");
    two.release.pages.clear();
    let problems = conflicts(vec![shell("1.0.0"), section("one", "1.0.0"), two]).await;
    assert_eq!(problems, ["slot `join` is filled by both one and two"]);
}

#[tokio::test]
async fn missing_shared_package_is_rejected() {
    let mut old = small_section("old", "1.0.0", "/old");
    old.release
        .shared
        .insert("react".to_owned(), "^18.0.0".to_owned());
    let mut odd = small_section("odd", "1.0.0", "/odd");
    odd.release
        .shared
        .insert("left-pad".to_owned(), "^1.0.0".to_owned());
    let problems = conflicts(vec![shell("1.0.0"), old, odd]).await;
    assert_eq!(
        problems,
        [
            "odd@1.0.0 needs `left-pad` ^1.0.0; shell@1.0.0 does not provide it",
            "old@1.0.0 needs `react` ^18.0.0; shell@1.0.0 provides 19.1.0",
        ]
    );
}

#[tokio::test]
async fn contract_other_than_shells_is_rejected() {
    let mut later = small_section("later", "1.0.0", "/later");
    later.release.contract += 1;
    let problems = conflicts(vec![shell("1.0.0"), later]).await;
    assert_eq!(
        problems,
        ["later@1.0.0 has contract 2; shell@1.0.0 has contract 1"]
    );
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
        put_release(&*store, sample).await;
    }
    let deployments = opened(&store).await;
    deploy(
        &deployments,
        &[("shell", "1.0.0"), ("one", "1.0.0"), ("two", "1.0.0")],
    )
    .await;
    let alone = deployments
        .deploy(&request(&[("one", "2.0.0")]), &allow_all)
        .await;
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

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_gateways_keep_all_changes() {
    const SECTIONS: usize = 12;
    let (_folder, store) = store();
    put_release(&*store, shell("1.0.0")).await;
    let name = |index: usize| format!("section-{index}");
    for index in 0..SECTIONS {
        put_release(
            &*store,
            small_section(&name(index), "1.0.0", &format!("/{index}")),
        )
        .await;
    }
    deploy(&opened(&store).await, &[("shell", "1.0.0")]).await;
    let mut deploys = tokio::task::JoinSet::new();
    for index in 0..SECTIONS {
        // Each with its own `Deployments`, so that only the store synchronizes them.
        let deployments = opened(&store).await;
        deploys.spawn(async move { deploy(&deployments, &[(&name(index), "1.0.0")]).await });
    }
    let mut numbers = deploys.join_all().await;
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), SECTIONS);
    let snapshot = opened(&store).await.current();
    let live = snapshot.live().unwrap();
    assert_eq!(live.deployment.releases.len(), SECTIONS + 1);
    assert_eq!(live.number(), numbers[SECTIONS - 1]);
}

#[tokio::test]
async fn damaged_old_deployment_does_not_prevent_start() {
    let (folder, store) = store();
    put_release(&*store, shell("1.0.0")).await;
    put_release(&*store, shell("1.0.1")).await;
    let deployments = opened(&store).await;
    deploy(&deployments, &[("shell", "1.0.0")]).await;
    deploy(&deployments, &[("shell", "1.0.1")]).await;
    std::fs::write(folder.path().join("deployments/1.json"), "{").unwrap();
    let snapshot = opened(&store).await.current();
    assert_eq!(snapshot.live().unwrap().number(), 2);
    assert!(snapshot.deployment(1).is_none());
    std::fs::write(folder.path().join("deployments/2.json"), "{").unwrap();
    assert!(
        Deployments::open(
            store as Arc<dyn Store>,
            None,
            None,
            Arc::default(),
            DeploymentMetrics::default()
        )
        .await
        .is_err()
    );
}

#[tokio::test]
async fn store_of_another_format_is_refused() {
    let (folder, store) = store();
    put_release(&*store, shell("1.0.0")).await;
    deploy(&opened(&store).await, &[("shell", "1.0.0")]).await;
    let path = folder.path().join("live.json");
    let live = std::fs::read_to_string(&path).unwrap();
    let mut state: serde_json::Value = serde_json::from_str(&live).unwrap();
    let refused = async |state: &serde_json::Value, expected: &str| {
        std::fs::write(&path, state.to_string()).unwrap();
        let opened = Deployments::open(
            Arc::clone(&store) as Arc<dyn Store>,
            None,
            None,
            Arc::default(),
            DeploymentMetrics::default(),
        )
        .await;
        let error = opened.err().expect("refused").to_string();
        assert!(
            error.contains("live.json: ") && error.contains(expected),
            "{error}"
        );
    };
    state["visible"]["deployments"] = serde_json::json!([1, 2]);
    refused(&state, "`deployments` has 2 entries; expected 1").await;
    let before_rollouts = serde_json::json!({ "live": 1, "change": state["change"] });
    refused(&before_rollouts, "missing field `visible`").await;
}
