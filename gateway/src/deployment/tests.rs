use std::sync::Arc;

use super::{Author, ChangeError, Deployments, Wish};
use crate::pattern::RequestPath;
use crate::store::{FolderStore, Store};
use crate::testing::{Sample, keep, section, shell, small_section, store};

fn wish(releases: &[(&str, &str)]) -> Wish {
    let releases = releases
        .iter()
        .map(|(name, version)| ((*name).to_owned(), Some((*version).to_owned())));
    Wish {
        releases: releases.collect(),
        base: None,
        percent: None,
        author: Author {
            by: "test".to_owned(),
            reason: None,
        },
    }
}

fn everything(_: &str) -> bool {
    true
}

async fn opened(store: &Arc<FolderStore>) -> Deployments {
    Deployments::open(Arc::clone(store) as Arc<dyn Store>, None)
        .await
        .unwrap()
}

async fn deploy(deployments: &Deployments, releases: &[(&str, &str)]) -> u64 {
    let outcome = deployments.deploy(&wish(releases), &everything).await.unwrap();
    assert!(outcome.changed);
    outcome.number
}

/// What keeps these samples from being live together.
async fn conflicts(samples: Vec<Sample>) -> Vec<String> {
    let (_folder, store) = store();
    let mut wish = wish(&[]);
    for sample in samples {
        let version = sample.release.version.clone();
        wish.releases.insert(sample.release.name.clone(), Some(version));
        keep(&*store, sample).await;
    }
    let deployments = opened(&store).await;
    match deployments.deploy(&wish, &everything).await {
        Err(ChangeError::Conflict(problems)) => {
            assert_eq!(store.state().await.unwrap(), None);
            assert!(store.deployments().await.unwrap().is_empty());
            problems
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_deployment_starts_from_the_live_one() {
    let (_folder, store) = store();
    keep(&*store, shell("1.0.0")).await;
    keep(&*store, section("directory", "1.0.0")).await;
    keep(&*store, section("directory", "1.1.0")).await;
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
    assert!(snapshot.set(1).is_some(), "open tabs stay on the first");
    assert!(snapshot.release("directory", "1.0.0").is_some());
}

#[tokio::test]
async fn the_same_set_again_is_no_new_deployment() {
    let (_folder, store) = store();
    keep(&*store, shell("1.0.0")).await;
    let deployments = opened(&store).await;
    deploy(&deployments, &[("shell", "1.0.0")]).await;
    for releases in [&[("shell", "1.0.0")][..], &[]] {
        let again = deployments.deploy(&wish(releases), &everything).await.unwrap();
        assert_eq!((again.number, again.changed), (1, false));
    }
    assert_eq!(store.deployments().await.unwrap(), [1]);
}

#[tokio::test]
async fn what_is_live_survives_a_restart() {
    let (_folder, store) = store();
    keep(&*store, shell("1.0.0")).await;
    keep(&*store, section("directory", "1.0.0")).await;
    deploy(
        &opened(&store).await,
        &[("shell", "1.0.0"), ("directory", "1.0.0")],
    )
    .await;
    let snapshot = opened(&store).await.current();
    let set = snapshot.live().unwrap();
    let page = set.page(&RequestPath::parse("/state/Ohio").unwrap()).unwrap();
    assert_eq!(
        (page.section.name.as_str(), page.pattern.as_str()),
        ("directory", "/state/:state")
    );
    assert_eq!(set.indexable().collect::<Vec<_>>(), ["/", "/state/Texas"]);
}

#[tokio::test]
async fn releases_that_are_not_published_are_all_named() {
    let (_folder, store) = store();
    keep(&*store, shell("1.0.0")).await;
    let deployments = opened(&store).await;
    let wish = wish(&[("shell", "1.0.0"), ("legal", "9.9.9"), ("articles", "../../x")]);
    let Err(ChangeError::Unknown(problems)) = deployments.deploy(&wish, &everything).await else {
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
async fn a_set_without_a_shell_is_refused() {
    let problems = conflicts(vec![section("directory", "1.0.0")]).await;
    assert_eq!(problems, ["the set has no `shell`"]);
}

#[tokio::test]
async fn colliding_patterns_name_both_sections() {
    let one = small_section("one", "1.0.0", "/a/:x");
    let two = small_section("two", "1.0.0", "/a/:y");
    let problems = conflicts(vec![shell("1.0.0"), one, two]).await;
    assert_eq!(
        problems,
        ["pattern `/a/:x` of one and pattern `/a/:y` of two collide"]
    );
}

#[tokio::test]
async fn a_slot_is_filled_once() {
    let mut two = section("two", "1.0.0");
    two.release.pages.clear();
    let problems = conflicts(vec![shell("1.0.0"), section("one", "1.0.0"), two]).await;
    assert_eq!(problems, ["slot `join` is filled by both one and two"]);
}

#[tokio::test]
async fn the_shell_must_provide_what_sections_share() {
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
async fn a_page_moves_between_sections_in_one_deployment() {
    let (_folder, store) = store();
    for sample in [
        shell("1.0.0"),
        small_section("one", "1.0.0", "/a"),
        small_section("two", "1.0.0", "/b"),
        small_section("one", "2.0.0", "/b"),
        small_section("two", "2.0.0", "/a"),
    ] {
        keep(&*store, sample).await;
    }
    let deployments = opened(&store).await;
    deploy(
        &deployments,
        &[("shell", "1.0.0"), ("one", "1.0.0"), ("two", "1.0.0")],
    )
    .await;
    let alone = deployments.deploy(&wish(&[("one", "2.0.0")]), &everything).await;
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
async fn gateways_on_one_store_keep_each_others_changes() {
    const SECTIONS: usize = 12;
    let (_folder, store) = store();
    keep(&*store, shell("1.0.0")).await;
    let name = |index: usize| format!("section-{index}");
    for index in 0..SECTIONS {
        keep(
            &*store,
            small_section(&name(index), "1.0.0", &format!("/{index}")),
        )
        .await;
    }
    deploy(&opened(&store).await, &[("shell", "1.0.0")]).await;
    let mut deploys = tokio::task::JoinSet::new();
    for index in 0..SECTIONS {
        // Each through a gateway of its own, so that nothing but the store keeps them apart.
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
async fn a_damaged_old_deployment_does_not_keep_the_gateway_from_starting() {
    let (folder, store) = store();
    keep(&*store, shell("1.0.0")).await;
    keep(&*store, shell("1.0.1")).await;
    let deployments = opened(&store).await;
    deploy(&deployments, &[("shell", "1.0.0")]).await;
    deploy(&deployments, &[("shell", "1.0.1")]).await;
    std::fs::write(folder.path().join("deployments/1.json"), "{").unwrap();
    let snapshot = opened(&store).await.current();
    assert_eq!(snapshot.live().unwrap().number(), 2);
    assert!(snapshot.set(1).is_none());
    std::fs::write(folder.path().join("deployments/2.json"), "{").unwrap();
    assert!(Deployments::open(store as Arc<dyn Store>, None).await.is_err());
}
