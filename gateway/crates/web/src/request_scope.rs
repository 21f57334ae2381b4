//! The request that the current task works on: its ID, for the log, and what starts the spans of
//! its calls. Work that a request starts in another task keeps them with [`spawn`] or
//! [`spawn_blocking`].

use std::future::{Future, pending};
use std::panic::resume_unwind;

use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinHandle};

use crate::call_span::{CallSpan, CallSpans, Callee};
use crate::response::RequestId;

/// What belongs to one request.
#[derive(Clone)]
pub struct RequestScope {
    /// Its ID.
    pub id: RequestId,
    /// Starts the spans of its calls, if it is traced.
    pub spans: Option<CallSpans>,
}

tokio::task_local! {
    static CURRENT: RequestScope;
    /// Set while [`spawn_blocking`] runs work.
    static BLOCKING: ();
}

/// Runs `work` as a part of this request.
pub fn within<F: Future>(scope: RequestScope, work: F) -> impl Future<Output = F::Output> {
    CURRENT.scope(scope, work)
}

/// Like [`within`], for work that does not wait. Without a request, the work belongs to no request.
pub fn within_now<T>(scope: Option<RequestScope>, work: impl FnOnce() -> T) -> T {
    match scope {
        Some(scope) => CURRENT.sync_scope(scope, work),
        None => work(),
    }
}

/// Returns the request that the current task works on, if there is one.
pub fn current() -> Option<RequestScope> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Returns its ID.
pub fn current_id() -> Option<RequestId> {
    CURRENT.try_with(|scope| scope.id.clone()).ok()
}

/// Returns what starts the spans of its calls, if it is traced.
pub fn call_spans() -> Option<CallSpans> {
    CURRENT.try_with(|scope| scope.spans.clone()).ok().flatten()
}

/// Starts the span of what the current request waits for, if it is traced.
pub fn start_span(callee: Callee<'_>) -> Option<Box<dyn CallSpan>> {
    let CallSpans(spans) = call_spans()?;
    spans.start(callee)
}

/// Starts a task that works on the same request as the current one.
pub fn spawn<F>(work: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    match current() {
        Some(scope) => tokio::spawn(within(scope, work)),
        None => tokio::spawn(work),
    }
}

/// Runs blocking work on its own thread, as a part of the current request.
pub fn spawn_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let scope = current();
    tokio::task::spawn_blocking(move || BLOCKING.sync_scope((), || within_now(scope, work)))
}

/// Returns the result of work that takes longer than an event loop may be blocked. It runs on a
/// thread for blocking work. If it panics, so does the current task. It never ends if the runtime
/// shuts down first.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    #[cfg(any(test, feature = "testing"))]
    if runs_inline() {
        return BLOCKING.sync_scope((), work);
    }
    match spawn_blocking(work).await.map_err(JoinError::try_into_panic) {
        Ok(result) => result,
        Err(Ok(panic)) => resume_unwind(panic),
        // The work was canceled, and the current task will be canceled as well.
        Err(Err(_)) => pending().await,
    }
}

#[cfg(any(test, feature = "testing"))]
thread_local! {
    static INLINE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Makes [`run_blocking`] use this thread: how long another thread takes would decide the order of
/// events.
#[cfg(any(test, feature = "testing"))]
pub fn run_inline() {
    INLINE.set(true);
}

/// Whether blocking work runs on the current thread.
#[cfg(any(test, feature = "testing"))]
pub fn runs_inline() -> bool {
    INLINE.get()
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

    use super::{RequestScope, current_id, may_block, run_blocking, spawn, spawn_blocking, within};
    use crate::response::RequestId;

    #[tokio::test]
    async fn spawned_work_belongs_to_the_request() {
        let id = HeaderValue::from_static("id");
        let scope = RequestScope {
            id: RequestId(id.clone()),
            spans: None,
        };
        let ids = within(scope, async {
            let (task, thread) = (spawn(async { current_id() }), spawn_blocking(current_id));
            [task.await, thread.await]
        });
        for found in ids.await {
            assert_eq!(found.expect("no panic").map(|RequestId(id)| id), Some(id.clone()));
        }
        assert!(current_id().is_none());
        assert!(spawn_blocking(current_id).await.expect("no panic").is_none());
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
