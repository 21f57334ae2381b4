//! What an answer consists of.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The most bytes handed out at once. hyper drops a body as soon as it has the last of it, however long the client then
/// takes: of a longer answer it gets no more before the client has taken some of what it got.
const SLICE: usize = 32 * 1024;

/// The body of an answer: bytes in memory, one piece or several, none of which is copied.
#[derive(Debug, Default)]
pub(crate) struct Content {
    first: Bytes,
    rest: VecDeque<Bytes>,
    length: u64,
}

impl From<Bytes> for Content {
    fn from(first: Bytes) -> Self {
        Self {
            length: first.len() as u64,
            first,
            rest: VecDeque::new(),
        }
    }
}

impl FromIterator<Bytes> for Content {
    /// One piece behind the other.
    fn from_iter<I: IntoIterator<Item = Bytes>>(pieces: I) -> Self {
        let mut rest: VecDeque<_> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        let length = rest.iter().map(|piece| piece.len() as u64).sum();
        let first = rest.pop_front().unwrap_or_default();
        Self { first, rest, length }
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.first.is_empty() {
            return Poll::Ready(None);
        }
        let slice = if self.first.len() > SLICE {
            self.first.split_to(SLICE)
        } else {
            let next = self.rest.pop_front().unwrap_or_default();
            mem::replace(&mut self.first, next)
        };
        self.length -= slice.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(slice))))
    }

    fn is_end_stream(&self) -> bool {
        self.length == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use bytes::Bytes;
    use http_body::Body as _;

    use super::{Content, SLICE};

    /// The lengths of the frames of a body, and all it is.
    fn frames(mut content: Content) -> (Vec<usize>, Vec<u8>) {
        let mut cx = Context::from_waker(Waker::noop());
        let (mut lengths, mut all) = (Vec::new(), Vec::new());
        let mut left = content.size_hint().exact().unwrap();
        while let Poll::Ready(Some(frame)) = Pin::new(&mut content).poll_frame(&mut cx) {
            let data = frame.unwrap().into_data().unwrap();
            lengths.push(data.len());
            left -= data.len() as u64;
            assert_eq!(content.size_hint().exact(), Some(left));
            assert_eq!(content.is_end_stream(), left == 0);
            all.extend_from_slice(&data);
        }
        assert!(content.is_end_stream());
        (lengths, all)
    }

    #[test]
    fn what_is_long_is_handed_out_in_slices_and_what_is_short_at_once() {
        for (length, expected) in [
            (0, vec![]),
            (1, vec![1]),
            (SLICE, vec![SLICE]),
            (SLICE + 1, vec![SLICE, 1]),
            (3 * SLICE, vec![SLICE; 3]),
        ] {
            let bytes: Vec<u8> = (0..=250).cycle().take(length).collect();
            let content = Content::from(Bytes::from(bytes.clone()));
            assert_eq!(frames(content), (expected, bytes));
        }
    }

    #[test]
    fn pieces_are_one_behind_the_other() {
        let pieces = ["", "one", "", "two", ""].map(Bytes::from);
        let content = Content::from_iter(pieces);
        assert_eq!(frames(content), (vec![3, 3], b"onetwo".to_vec()));
        assert_eq!(frames(Content::from_iter([])), (vec![], vec![]));
    }
}
