//! tokio's clock, read once in each poll of a task, because a request needs the time often.
//!
//! The time may be as old as the poll. Where that matters, use [`refresh`].

use std::cell::Cell;
use std::future::{Future, poll_fn};

use tokio::time::Instant;

thread_local! {
    static CLOCK: Cell<Clock> = const { Cell::new(Clock::Live) };
}

#[derive(Clone, Copy)]
enum Clock {
    /// Outside [`read_once`]: each call reads the clock.
    Live,
    /// Within it, before the first read of this poll.
    Unread,
    /// The last read of this poll.
    Read(Instant),
}

/// Returns the time. Within [`read_once`], returns that of the last read in this poll.
pub fn now() -> Instant {
    match CLOCK.get() {
        Clock::Live => Instant::now(),
        Clock::Unread => refresh(),
        Clock::Read(now) => now,
    }
}

/// Reads the clock again. Needed to measure work within one poll, and after a timer: it may fire
/// after the first read, which is then before its deadline.
pub fn refresh() -> Instant {
    let now = Instant::now();
    if !matches!(CLOCK.get(), Clock::Live) {
        CLOCK.set(Clock::Read(now));
    }
    now
}

/// Runs a task whose polls read the clock once. Boxed: pinned in an `async` block, the task would
/// take its memory twice.
pub fn read_once<F: Future>(task: F) -> impl Future<Output = F::Output> {
    let mut task = Box::pin(task);
    poll_fn(move |cx| {
        let _restore = Restore(CLOCK.replace(Clock::Unread));
        task.as_mut().poll(cx)
    })
}

/// Restores the clock, also after a panic.
struct Restore(Clock);

impl Drop for Restore {
    fn drop(&mut self) {
        CLOCK.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    use tokio::time::{Instant, advance};

    use super::{now, read_once, refresh};

    const STEP: Duration = Duration::from_millis(1);

    #[tokio::test(start_paused = true)]
    async fn clock_is_read_once_in_each_poll() {
        let start = Instant::now();
        let task = read_once(async {
            poll_fn(|cx| {
                let first = now();
                let _ = pin!(advance(STEP)).poll(cx);
                Poll::Ready([first, now(), refresh(), now()])
            })
            .await
        });
        assert_eq!(task.await, [start, start, start + STEP, start + STEP]);
        let _ = poll_fn(|cx| Poll::Ready(pin!(advance(STEP)).poll(cx))).await;
        assert_eq!(now(), start + 2 * STEP);
    }

    #[tokio::test(start_paused = true)]
    async fn clock_is_live_again_after_a_panic() {
        let start = Instant::now();
        let mut task = pin!(read_once(async { panic!("{:?}", now()) }));
        let mut cx = Context::from_waker(Waker::noop());
        let polled = catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(&mut cx).is_ready()));
        assert!(polled.is_err());
        advance(STEP).await;
        assert_eq!(now(), start + STEP);
    }
}
