//! The JSON of a result: I-JSON (RFC 7493) of limited depth.
//!
//! Renderers and browsers do not agree on the rest of JSON: half of a surrogate pair has no UTF-8,
//! a number may be infinite, and code that recurses runs out of stack.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The maximum depth of arrays and objects. The data of a page, which may contain a result, has a
/// higher one.
const MAX_DEPTH: usize = 64;

/// Parses the JSON of a result. Returns it byte for byte.
///
/// # Errors
///
/// It is not JSON, or a page cannot contain it: it is deeper than 64 levels, or has a string that
/// is not Unicode (RFC 7493, section 2.1), or a number that a double cannot hold (section 2.2).
pub fn parse_value(json: &[u8]) -> serde_json::Result<Box<RawValue>> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    Checked { levels: MAX_DEPTH }.deserialize(&mut deserializer)?;
    serde_json::from_slice(json)
}

/// Reads every string and number, which a raw value would skip, and keeps none.
#[derive(Clone, Copy)]
struct Checked {
    /// How many levels may follow.
    levels: usize,
}

impl Checked {
    fn below<E: Error>(self) -> Result<Self, E> {
        let levels = self.levels.checked_sub(1);
        let levels = levels.ok_or_else(|| E::custom("nested too deeply"))?;
        Ok(Self { levels })
    }
}

impl<'de> DeserializeSeed<'de> for Checked {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Checked {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        let below = self.below()?;
        while values.next_element_seed(below)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let below = self.below()?;
        while entries.next_entry_seed(below, below)?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_DEPTH, parse_value};

    #[test]
    fn value_is_kept_byte_for_byte() {
        for json in [
            "null",
            "-0.0",
            "1e21",
            "123456789012345678901234567890",
            r#""\ud83c\udfb7 \u0000 \/""#,
            r#"{ "z": [true, {}], "z": 1, "__proto__": [] }"#,
        ] {
            let value = parse_value(json.as_bytes()).expect(json);
            assert_eq!(value.get(), json);
        }
    }

    #[test]
    fn value_that_a_page_cannot_contain_is_rejected() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(parse_value(nested(MAX_DEPTH).as_bytes()).is_ok());
        for json in [
            nested(MAX_DEPTH + 1).as_bytes(),
            nested(100_000).as_bytes(),
            br#"{"a": "\ud83c"}"#,
            br#"["\udfb7\ud83c"]"#,
            br#"{"\ud83c": 1}"#,
            br#"{"a": 1e999}"#,
            b"-1e999",
            b"\"\xff\"",
            b"\"\xed\xa0\xbc\"",
            b"\xef\xbb\xbf{}",
            b"{} {}",
            b"NaN",
            b"",
        ] {
            assert!(
                parse_value(json).is_err(),
                "{:.40}",
                String::from_utf8_lossy(json)
            );
        }
    }
}
