//! The ID of the request that the current task works on, for the log. Work that a request starts in another task keeps the
//! ID with [`spawn`].

use std::future::Future;

use tokio::task::JoinHandle;

use crate::response::RequestId;

tokio::task_local! {
    static CURRENT: RequestId;
}

/// Runs `work` as a part of the request with this ID. Without an ID it belongs to no request.
pub async fn within<F: Future>(id: Option<RequestId>, work: F) -> F::Output {
    match id {
        Some(id) => CURRENT.scope(id, work).await,
        None => work.await,
    }
}

/// Returns the ID of the request that the current task works on, if there is one.
pub fn current() -> Option<RequestId> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Starts a task that works on the same request as the current one.
pub fn spawn<F>(work: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    tokio::spawn(within(current(), work))
}
