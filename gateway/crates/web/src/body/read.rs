//! Reading the whole body of a request, within a size limit and a timeout.

use std::error::Error;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use tokio::time::{Instant, timeout_at};

/// Why a body cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadBodyError {
    /// The body is larger than the limit.
    #[error("the body is too large")]
    TooLarge,
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    TimedOut,
    /// The connection failed, or the body's framing is broken.
    #[error(transparent)]
    Broken(Box<dyn Error + Send + Sync>),
}

/// Reads a body of at most `max_bytes` into memory. All of it must arrive within `timeout`. Reads
/// nothing of a body whose `Content-Length` is larger.
pub async fn read_to_end<B>(body: B, max_bytes: usize, timeout: Duration) -> Result<Vec<u8>, ReadBodyError>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    if body.size_hint().lower() > max_bytes as u64 {
        return Err(ReadBodyError::TooLarge);
    }
    let mut buffer = Vec::new();
    let mut body = pin!(body);
    let deadline = Instant::now() + timeout;
    let mut remaining = max_bytes;
    while let Some(chunk) = next_chunk(body.as_mut(), deadline).await? {
        remaining = remaining
            .checked_sub(chunk.len())
            .ok_or(ReadBodyError::TooLarge)?;
        buffer.extend_from_slice(&chunk);
    }
    Ok(buffer)
}

/// Reads the next chunk of a body; `None` at its end. Trailers are ignored.
pub async fn next_chunk<B>(mut body: Pin<&mut B>, deadline: Instant) -> Result<Option<Bytes>, ReadBodyError>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    loop {
        let frame = timeout_at(deadline, poll_fn(|cx| body.as_mut().poll_frame(cx)))
            .await
            .map_err(|_| ReadBodyError::TimedOut)?;
        let Some(frame) = frame else {
            return Ok(None);
        };
        let frame = frame.map_err(|error| ReadBodyError::Broken(error.into()))?;
        if let Ok(data) = frame.into_data() {
            return Ok(Some(data));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};
    use std::time::Duration;

    use bytes::Bytes;
    use http::HeaderMap;
    use http_body::{Body, Frame};

    use super::{ReadBodyError, read_to_end};

    const SECOND: Duration = Duration::from_secs(1);

    /// A body of these frames, which stalls after the last one if `stalls` is set.
    struct Frames {
        frames: VecDeque<Result<Frame<Bytes>, io::Error>>,
        stalls: bool,
    }

    impl Body for Frames {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            match self.frames.pop_front() {
                None if self.stalls => Poll::Pending,
                frame => Poll::Ready(frame),
            }
        }
    }

    fn chunks<const N: usize>(chunks: [&'static str; N], stalls: bool) -> Frames {
        let frames = chunks.into_iter().map(|chunk| Ok(Frame::data(chunk.into())));
        Frames {
            frames: frames.collect(),
            stalls,
        }
    }

    #[tokio::test]
    async fn body_up_to_limit_is_read_and_larger_is_rejected() {
        let read = |limit| read_to_end(chunks(["ab", "", "cd"], false), limit, SECOND);
        assert_eq!(read(4).await.unwrap(), b"abcd");
        assert!(matches!(read(3).await, Err(ReadBodyError::TooLarge)));
    }

    #[tokio::test(start_paused = true)]
    async fn stalled_body_times_out() {
        let outcome = read_to_end(chunks(["ab"], true), 10, SECOND).await;
        assert!(matches!(outcome, Err(ReadBodyError::TimedOut)));
    }

    #[tokio::test]
    async fn trailers_are_ignored_and_errors_are_returned() {
        let mut body = chunks(["ab"], false);
        body.frames.push_back(Ok(Frame::trailers(HeaderMap::new())));
        assert_eq!(read_to_end(body, 10, SECOND).await.unwrap(), b"ab");
        let mut body = chunks(["ab"], false);
        body.frames.push_back(Err(io::ErrorKind::BrokenPipe.into()));
        let outcome = read_to_end(body, 10, SECOND).await;
        assert!(matches!(outcome, Err(ReadBodyError::Broken(_))));
    }
}
