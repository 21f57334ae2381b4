//! Parts of a file (RFC 9110, 14).
//!
//! A range is one of the selected representation (14.2): of the compressed bytes where the answer is compressed. Each
//! form has a strong validator of its own, so with If-Range a client cannot put parts of two forms together.

use std::ops::Range;

use bytes::Bytes;
use http::HeaderMap;
use http::header::RANGE;

use crate::content::Content;

/// The most ranges that are looked at. Who asks for more gets the whole file, as 14.2 allows.
pub(super) const MAX_RANGES: usize = 8;

/// What is sent of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// All of it: nothing else was asked for, or nothing that is worth an answer of its own.
    Whole,
    /// These parts, which do not overlap, in the order in which they were asked for. There is one at least.
    Parts(Vec<Range<usize>>),
    /// It has none of the parts that were asked for.
    Nothing,
}

/// One range as it is asked for.
#[derive(Debug, Clone, Copy)]
enum Spec {
    /// From one byte to another one, or to the end. A number past all numbers is past every end, too.
    Between(u64, u64),
    /// So many last bytes.
    Last(u64),
}

/// What a request with these headers wants of a file of this length. A Range header that is not valid asks for nothing.
pub(super) fn select(request: &HeaderMap, length: usize) -> Selection {
    let mut values = request.get_all(RANGE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Selection::Whole;
    };
    let specs = value.to_str().ok().and_then(parse);
    // There is no way to name a part of nothing.
    let Some(specs) = specs.filter(|_| length > 0) else {
        return Selection::Whole;
    };
    let parts: Vec<_> = specs.iter().filter_map(|spec| spec.within(length)).collect();
    match parts.len() {
        0 => Selection::Nothing,
        1 => Selection::Parts(parts),
        _ if overlap(&parts) => Selection::Whole,
        _ => Selection::Parts(parts),
    }
}

/// Reads `bytes=0-99,200-`; `None` if it is something else, or too much.
fn parse(value: &str) -> Option<Vec<Spec>> {
    let (unit, set) = value.split_once('=')?;
    if !unit.eq_ignore_ascii_case("bytes") {
        return None;
    }
    let items = set.split(',').map(|item| item.trim_matches([' ', '\t']));
    let mut specs = Vec::new();
    // Empty elements of a list mean nothing (5.6.1.2).
    for item in items.filter(|item| !item.is_empty()) {
        if specs.len() == MAX_RANGES {
            return None;
        }
        specs.push(Spec::parse(item)?);
    }
    (!specs.is_empty()).then_some(specs)
}

fn overlap(parts: &[Range<usize>]) -> bool {
    let mut sorted: Vec<_> = parts.iter().collect();
    sorted.sort_by_key(|part| part.start);
    sorted.windows(2).any(|pair| pair[0].end > pair[1].start)
}

impl Spec {
    fn parse(item: &str) -> Option<Self> {
        let (first, last) = item.split_once('-')?;
        if first.is_empty() {
            return Some(Self::Last(number(last)?));
        }
        let first = number(first)?;
        let last = if last.is_empty() { u64::MAX } else { number(last)? };
        (first <= last).then_some(Self::Between(first, last))
    }

    /// The part of a file of this length; `None` if it has none.
    fn within(self, length: usize) -> Option<Range<usize>> {
        let at_most = |number: u64| usize::try_from(number).map_or(length, |number| number.min(length));
        let part = match self {
            Self::Between(first, last) => at_most(first)..at_most(last.saturating_add(1)),
            Self::Last(count) => length - at_most(count)..length,
        };
        (!part.is_empty()).then_some(part)
    }
}

fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// What a `Content-Range` says of a part.
pub(super) fn content_range(part: &Range<usize>, length: usize) -> String {
    format!("bytes {}-{}/{length}", part.start, part.end - 1)
}

/// Several parts as the body of one `multipart/byteranges` answer (14.6). Nothing of the file is copied for it.
pub(super) fn multipart(bytes: &Bytes, parts: &[Range<usize>], media_type: &str, boundary: &str) -> Content {
    let pieces = parts.iter().flat_map(|part| {
        let range = content_range(part, bytes.len());
        let head =
            format!("\r\n--{boundary}\r\nContent-Type: {media_type}\r\nContent-Range: {range}\r\n\r\n");
        [Bytes::from(head), bytes.slice(part.clone())]
    });
    let end = Bytes::from(format!("\r\n--{boundary}--\r\n"));
    pieces.chain([end]).collect()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::collection;
    use proptest::prelude::{Strategy, prop_oneof, proptest};
    use proptest::sample::select as one_of;

    use super::{HeaderMap, MAX_RANGES, RANGE, Selection, select};
    use crate::asset::fuzz;

    fn wanted(value: &str, length: usize) -> Selection {
        let value = HeaderValue::from_str(value).expect("a header's value");
        select(&HeaderMap::from_iter([(RANGE, value)]), length)
    }

    #[test]
    fn ranges_are_those_of_the_rfc() {
        for (value, parts) in [
            ("bytes=0-0", &[(0, 1)][..]),
            ("bytes=0-99", &[(0, 100)]),
            ("bytes=0-100", &[(0, 100)]),
            ("bytes=50-", &[(50, 100)]),
            ("bytes=99-", &[(99, 100)]),
            ("bytes=-1", &[(99, 100)]),
            ("bytes=-100", &[(0, 100)]),
            ("bytes=-1000", &[(0, 100)]),
            ("BYTES=0-1", &[(0, 2)]),
            ("bytes= 0-1 ,, 4-5,", &[(0, 2), (4, 6)]),
            ("bytes=4-5,0-1", &[(4, 6), (0, 2)]),
            ("bytes=0-1,2-3", &[(0, 2), (2, 4)]),
            ("bytes=0-1,200-300", &[(0, 2)]),
            ("bytes=0-99999999999999999999999999", &[(0, 100)]),
            ("bytes=-99999999999999999999999999", &[(0, 100)]),
        ] {
            let parts = parts.iter().map(|(start, end)| *start..*end).collect();
            assert_eq!(wanted(value, 100), Selection::Parts(parts), "{value}");
        }
    }

    #[test]
    fn what_is_past_the_end_is_not_there() {
        for value in [
            "bytes=100-",
            "bytes=100-200",
            "bytes=-0",
            "bytes=99999999999999999999999999-",
            "bytes=200-,-0",
        ] {
            assert_eq!(wanted(value, 100), Selection::Nothing, "{value}");
        }
    }

    #[test]
    fn what_is_no_range_or_too_much_is_the_whole() {
        for value in [
            "",
            "bytes",
            "bytes=",
            "bytes=,",
            "bytes=1",
            "bytes=-",
            "bytes=a-b",
            "bytes=2-1",
            "bytes=+1-2",
            "bytes=1-2-3",
            "bytes=0x1-2",
            "bytes=0-1;2-3",
            "items=0-1",
            "bytes =0-1",
            "bytes=0-1,x",
            "bytes=0-10,5-15",
            "bytes=0-,-1",
            "bytes=5-9,0-5",
        ] {
            assert_eq!(wanted(value, 100), Selection::Whole, "{value}");
        }
        let many = |count: usize| {
            let list: Vec<_> = (0..count).map(|at| format!("{}-{}", at * 2, at * 2)).collect();
            wanted(&format!("bytes={}", list.join(",")), 100)
        };
        assert!(matches!(many(MAX_RANGES), Selection::Parts(parts) if parts.len() == MAX_RANGES));
        assert_eq!(many(MAX_RANGES + 1), Selection::Whole);
        assert_eq!(wanted("bytes=0-0", 0), Selection::Whole);
        let mut twice = HeaderMap::new();
        twice.append(RANGE, HeaderValue::from_static("bytes=0-1"));
        twice.append(RANGE, HeaderValue::from_static("bytes=0-1"));
        assert_eq!(select(&twice, 100), Selection::Whole);
    }

    /// Text that is sometimes nearly a header.
    fn headers() -> impl Strategy<Value = String> {
        const WORDS: &[&str] = &[
            "0",
            "1",
            "7",
            "99",
            "18446744073709551615",
            "-",
            "-",
            ",",
            " ",
            "=",
            "x",
        ];
        let nearly =
            collection::vec(one_of(WORDS), 0..20).prop_map(|words| format!("bytes={}", words.concat()));
        prop_oneof![nearly, "[\\x20-\\x7e]{0,40}"]
    }

    proptest! {
        #[test]
        fn parts_are_in_the_file_few_and_apart(value in headers()) {
            let value = HeaderValue::from_str(&value).expect("a header's value");
            fuzz::range(&HeaderMap::from_iter([(RANGE, value)]));
        }

        #[test]
        fn a_part_is_the_bytes_it_names(first in 0_usize..200, extra in 0_usize..200, length in 1_usize..200) {
            let last = first + extra;
            let expected = if first < length {
                Selection::Parts(std::iter::once(first..length.min(last + 1)).collect())
            } else {
                Selection::Nothing
            };
            assert_eq!(wanted(&format!("bytes={first}-{last}"), length), expected);
        }
    }
}
