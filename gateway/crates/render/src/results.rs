//! The results of a page's queries.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest as _, Sha256};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use colonnade_web::client::ClientKey;
use colonnade_web::query::{Freshness, QueryResult};
use colonnade_web::request_scope;

use crate::queries::{Queries, QuerySource};
use crate::validity::{Lifetime, Validity};

/// The most bytes of all results of a page. The page may contain them twice, as HTML and as data,
/// and has at most 1 MiB.
const MAX_TOTAL_BYTES: usize = 384 * 1024;

/// The HTTP status of a result that is no usable response.
const BAD_GATEWAY: u16 = 502;

/// The HTTP status of a result that did not arrive in time.
const GATEWAY_TIMEOUT: u16 = 504;

/// The longest that a result is used. Longer makes no difference: pages and documents belong to a
/// day.
const MAX_FRESHNESS: Duration = Duration::from_hours(24);

/// The results of all queries of a page.
#[derive(Debug, Clone)]
pub(crate) struct Results {
    pub(crate) queries: Arc<Queries>,
    /// The results by name, as JSON.
    pub(crate) json: Arc<RawValue>,
    /// How long and by whom a page may be used that is rendered with them.
    pub(crate) validity: Validity,
    /// How many have failed, for another reason than a limit of the client.
    pub(crate) failed: usize,
    /// The names of those that did not arrive in time.
    pub(crate) late: BTreeSet<String>,
    /// The names of those that failed because all together are too large.
    pub(crate) too_large: BTreeSet<String>,
}

/// A query that is being fetched. Dropping it stops waiting for its result.
struct Fetching(JoinHandle<QueryResult>);

impl Drop for Fetching {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Results {
    /// Fetches all queries of a page that a client requests, at the same time. Those that take
    /// longer than `deadline` have failed.
    pub(crate) async fn fetch(
        source: &Arc<dyn QuerySource>,
        queries: Arc<Queries>,
        client: Option<ClientKey>,
        deadline: Duration,
    ) -> Self {
        let deadline = Instant::now() + deadline;
        let fetches = queries.iter().map(|(name, path)| {
            let (source, path) = (Arc::clone(source), path.clone());
            // In a task of its own, so that large results are parsed at the same time.
            let fetch = request_scope::spawn(async move { source.fetch(&path, client).await });
            (name.clone(), Fetching(fetch))
        });
        let mut results = BTreeMap::new();
        let mut late = BTreeSet::new();
        for (name, mut fetch) in fetches.collect::<Vec<_>>() {
            let result = match timeout_at(deadline, &mut fetch.0).await {
                Ok(Ok(result)) => result,
                Ok(Err(_)) => QueryResult::failed(BAD_GATEWAY),
                Err(_) => {
                    late.insert(name.clone());
                    QueryResult::failed(GATEWAY_TIMEOUT)
                }
            };
            results.insert(name, result);
        }
        let too_large = fail_largest(&mut results);
        let fetched_at = Instant::now();
        let is_rejected = results.values().any(|result| result.is_client_limited);
        let client = client.filter(|_| is_rejected);
        // Serializing and hashing: a page may have megabytes of results.
        let results = move || Self::new(queries, &results, fetched_at, client);
        Self {
            late,
            too_large,
            ..request_scope::run_blocking(results).await
        }
    }

    /// The results of all queries of an extension. Those that the source lacks have failed: they were
    /// late a short time ago.
    pub(crate) async fn without_waiting(source: &Arc<dyn QuerySource>, queries: Arc<Queries>) -> Self {
        let mut results = BTreeMap::new();
        for (name, path) in queries.iter() {
            let result = source.cached(path).await;
            let result = result.unwrap_or_else(|| QueryResult::failed(GATEWAY_TIMEOUT));
            results.insert(name.clone(), result);
        }
        let too_large = fail_largest(&mut results);
        let now = Instant::now();
        Self {
            too_large,
            ..request_scope::run_blocking(move || Self::new(queries, &results, now, None)).await
        }
    }

    /// The results of all queries of a page that the source has; `None` if it lacks one.
    pub(crate) async fn cached(source: &Arc<dyn QuerySource>, queries: Arc<Queries>) -> Option<Self> {
        let mut results = BTreeMap::new();
        for (name, path) in queries.iter() {
            results.insert(name.clone(), source.cached(path).await?);
        }
        let too_large = fail_largest(&mut results);
        let now = Instant::now();
        let results = request_scope::run_blocking(move || Self::new(queries, &results, now, None)).await;
        too_large.is_empty().then_some(results)
    }

    /// The results of an example, by name, as JSON.
    pub(crate) fn of_example(queries: Arc<Queries>, results: &RawValue) -> Self {
        Self {
            queries,
            json: Arc::from(results.to_owned()),
            validity: Validity::default(),
            failed: 0,
            late: BTreeSet::new(),
            too_large: BTreeSet::new(),
        }
    }

    fn new(
        queries: Arc<Queries>,
        results: &BTreeMap<String, QueryResult>,
        fetched_at: Instant,
        client: Option<ClientKey>,
    ) -> Self {
        let json = to_raw_value(results).expect("all keys of results are strings");
        let has_failed = |result: &&QueryResult| result.outcome.is_err() && !result.is_client_limited;
        Self {
            queries,
            validity: Validity {
                lifetime: lifetime(results, fetched_at),
                results: Some(Sha256::digest(json.get()).into()),
                revisions: results.values().filter_map(|result| result.revision).collect(),
                client,
            },
            json: Arc::from(json),
            failed: results.values().filter(has_failed).count(),
            late: BTreeSet::new(),
            too_large: BTreeSet::new(),
        }
    }
}

/// How long a page may be used that is rendered with these results.
fn lifetime(results: &BTreeMap<String, QueryResult>, fetched_at: Instant) -> Lifetime {
    if results.values().any(|result| result.outcome.is_err()) {
        return Lifetime::Once;
    }
    let freshness = || results.values().map(|result| result.freshness);
    let stale_for = |freshness: Freshness| {
        let fresh_for = freshness.fresh_for;
        fresh_for.saturating_add(freshness.stale_while_revalidate)
    };
    let end = |time: Duration| fetched_at + time.min(MAX_FRESHNESS);
    match (
        freshness().map(|each| each.fresh_for).min(),
        freshness().map(stale_for).min(),
    ) {
        (Some(fresh), Some(stale)) => Lifetime::Until {
            fresh_until: end(fresh),
            stale_until: end(stale),
        },
        _ => Lifetime::Unlimited,
    }
}

/// Fails the largest results until the rest has at most [`MAX_TOTAL_BYTES`]. Returns the names of
/// the failed ones.
fn fail_largest(results: &mut BTreeMap<String, QueryResult>) -> BTreeSet<String> {
    let bytes = |result: &QueryResult| result.outcome.as_ref().map_or(0, |value| value.get().len());
    let mut total: usize = results.values().map(bytes).sum();
    let mut failed = BTreeSet::new();
    while total > MAX_TOTAL_BYTES
        && let Some((name, largest)) = results.iter_mut().max_by_key(|(_, result)| bytes(result))
    {
        total -= bytes(largest);
        *largest = QueryResult::failed(BAD_GATEWAY);
        failed.insert(name.clone());
    }
    failed
}
