//! Range requests (RFC 9110, section 14).
//!
//! A range applies to the selected representation (section 14.2): to the compressed bytes if the
//! response is compressed. Each representation has a strong validator of its own, so with If-Range
//! a client cannot combine parts of two representations. A request for several ranges gets the
//! whole file, as section 14.2 allows.

use std::ops::Range;

use http::HeaderMap;
use http::header::RANGE;

/// Which bytes of a file are sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// The whole file: the request has no valid range, or several.
    Whole,
    /// One part, which is not empty.
    Part(Range<usize>),
    /// The range is outside the file.
    Unsatisfiable,
}

/// Which bytes of a file of this length a request selects. An invalid `Range` header is ignored.
pub(super) fn select(request: &HeaderMap, length: usize) -> Selection {
    let mut values = request.get_all(RANGE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Selection::Whole;
    };
    let spec = value.to_str().ok().and_then(RangeSpec::parse);
    // No range of an empty file is satisfiable.
    let Some(spec) = spec.filter(|_| length > 0) else {
        return Selection::Whole;
    };
    let part = spec.resolve(length);
    if part.is_empty() {
        Selection::Unsatisfiable
    } else {
        Selection::Part(part)
    }
}

/// A range as it is requested. Numbers that are too large are saturated: they are beyond the end of
/// every file.
#[derive(Debug, Clone, Copy)]
enum RangeSpec {
    /// From the first to the last byte, both inclusive.
    Between(u64, u64),
    /// The last bytes.
    Suffix(u64),
}

impl RangeSpec {
    /// Parses `bytes=0-99`, `bytes=100-` or `bytes=-100`.
    fn parse(value: &str) -> Option<Self> {
        let (unit, range) = value.split_once('=')?;
        if !unit.eq_ignore_ascii_case("bytes") {
            return None;
        }
        let (first, last) = range.trim_matches([' ', '\t']).split_once('-')?;
        if first.is_empty() {
            return Some(Self::Suffix(parse_number(last)?));
        }
        let first = parse_number(first)?;
        let last = if last.is_empty() {
            u64::MAX
        } else {
            parse_number(last)?
        };
        (first <= last).then_some(Self::Between(first, last))
    }

    /// The range in a file of this length; it is empty if it is outside the file.
    fn resolve(self, length: usize) -> Range<usize> {
        let at_most = |number: u64| usize::try_from(number).map_or(length, |number| number.min(length));
        match self {
            Self::Between(first, last) => at_most(first)..at_most(last.saturating_add(1)),
            Self::Suffix(count) => length - at_most(count)..length,
        }
    }
}

fn parse_number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::collection;
    use proptest::prelude::{Strategy, prop_oneof, proptest};
    use proptest::sample;

    use super::{HeaderMap, RANGE, Selection, select};
    use crate::asset::fuzz;

    fn select_value(value: &str, length: usize) -> Selection {
        let value = HeaderValue::from_str(value).expect("a valid header value");
        select(&HeaderMap::from_iter([(RANGE, value)]), length)
    }

    #[test]
    fn valid_range_selects_part() {
        for (value, part) in [
            ("bytes=0-0", 0..1),
            ("bytes=0-99", 0..100),
            ("bytes=0-100", 0..100),
            ("bytes=50-", 50..100),
            ("bytes=99-", 99..100),
            ("bytes=-1", 99..100),
            ("bytes=-100", 0..100),
            ("bytes=-1000", 0..100),
            ("BYTES=0-1", 0..2),
            ("bytes= 4-5 ", 4..6),
            ("bytes=0-99999999999999999999999999", 0..100),
            ("bytes=-99999999999999999999999999", 0..100),
        ] {
            assert_eq!(select_value(value, 100), Selection::Part(part), "{value}");
        }
    }

    #[test]
    fn range_past_end_is_unsatisfiable() {
        for value in [
            "bytes=100-",
            "bytes=100-200",
            "bytes=-0",
            "bytes=99999999999999999999999999-",
        ] {
            assert_eq!(select_value(value, 100), Selection::Unsatisfiable, "{value}");
        }
    }

    #[test]
    fn invalid_or_multiple_ranges_select_whole_file() {
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
            "bytes=0-1,2-3",
            "bytes= 0-1 ,, 4-5,",
            "bytes=0-1,200-300",
            "bytes=200-,-0",
            "bytes=0-10,5-15",
            "bytes=0-,-1",
        ] {
            assert_eq!(select_value(value, 100), Selection::Whole, "{value}");
        }
        assert_eq!(select_value("bytes=0-0", 0), Selection::Whole);
        let mut twice = HeaderMap::new();
        twice.append(RANGE, HeaderValue::from_static("bytes=0-1"));
        twice.append(RANGE, HeaderValue::from_static("bytes=0-1"));
        assert_eq!(select(&twice, 100), Selection::Whole);
    }

    /// Header values, many of them almost valid ranges.
    fn header_values() -> impl Strategy<Value = String> {
        const TOKENS: &[&str] = &[
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
        let almost_valid = collection::vec(sample::select(TOKENS), 0..20)
            .prop_map(|tokens| format!("bytes={}", tokens.concat()));
        prop_oneof![almost_valid, "[\\x20-\\x7e]{0,40}"]
    }

    proptest! {
        #[test]
        fn any_range_selects_part_inside_file(value in header_values()) {
            let value = HeaderValue::from_str(&value).expect("a valid header value");
            fuzz::range(&HeaderMap::from_iter([(RANGE, value)]));
        }

        #[test]
        fn range_selects_exactly_its_bytes(first in 0_usize..200, extra in 0_usize..200, length in 1_usize..200) {
            let last = first + extra;
            let expected = if first < length {
                Selection::Part(first..length.min(last + 1))
            } else {
                Selection::Unsatisfiable
            };
            assert_eq!(select_value(&format!("bytes={first}-{last}"), length), expected);
        }
    }
}
