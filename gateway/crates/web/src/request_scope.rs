//! The ID of the request that the current task works on, for the log. Work that a request starts in another task keeps the
//! ID with [`spawn`] or [`spawn_blocking`].

use std::future::{Future, pending};
use std::panic::resume_unwind;

use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinHandle};

use crate::response::RequestId;

tokio::task_local! {
    static CURRENT: RequestId;
    /// Set while [`spawn_blocking`] runs work.
    static BLOCKING: ();
}

/// Runs `work` as a part of the request with this ID. Without an ID it belongs to no request.
pub async fn within<F: Future>(id: Option<RequestId>, work: F) -> F::Output {
    match id {
        Some(id) => CURRENT.scope(id, work).await,
        None => work.await,
    }
}

/// Does the same with work that does not wait.
pub fn within_now<T>(id: Option<RequestId>, work: impl FnOnce() -> T) -> T {
    match id {
        Some(id) => CURRENT.sync_scope(id, work),
        None => work(),
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

/// Does the same with work for a thread for blocking work.
pub fn spawn_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let id = current();
    tokio::task::spawn_blocking(move || BLOCKING.sync_scope((), || within_now(id, work)))
}

/// Returns the result of work that takes longer than an event loop may be blocked. It runs on a thread for blocking work. If
/// it panics, so does the current task. It never ends if the runtime shuts down first.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn_blocking(work).await.map_err(JoinError::try_into_panic) {
        Ok(result) => result,
        Err(Ok(panic)) => resume_unwind(panic),
        // The work was canceled. The current task will be, too.
        Err(Err(_)) => pending().await,
    }
}

/// Returns whether the current thread may be blocked: it does not run an event loop.
pub fn may_block() -> bool {
    BLOCKING.try_with(|()| ()).is_ok() || Handle::try_current().is_err()
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use http::HeaderValue;

    use super::{current, may_block, run_blocking, spawn, spawn_blocking, within};
    use crate::response::RequestId;

    #[tokio::test]
    async fn spawned_work_belongs_to_the_request() {
        let id = HeaderValue::from_static("id");
        let ids = within(Some(RequestId(id.clone())), async {
            let (task, thread) = (spawn(async { current() }), spawn_blocking(current));
            [task.await, thread.await]
        });
        for found in ids.await {
            assert_eq!(found.expect("no panic").map(|RequestId(id)| id), Some(id.clone()));
        }
        assert!(current().is_none());
        assert!(spawn_blocking(current).await.expect("no panic").is_none());
    }

    #[test]
    fn only_event_loops_may_not_be_blocked() {
        assert!(may_block());
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(async {
            assert!(!may_block());
            assert!(run_blocking(may_block).await);
            assert!(!may_block());
        });
    }

    #[test]
    fn blocking_work_after_shutdown_never_ends() {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.expect("a runtime");
        let handle = runtime.handle().clone();
        drop(runtime);
        let _entered = handle.enter();
        let mut work = pin!(run_blocking(may_block));
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(work.as_mut().poll(&mut context), Poll::Pending);
    }
}
