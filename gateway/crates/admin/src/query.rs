//! Query parameters.

use std::ops::RangeInclusive;

use url::form_urlencoded;

use colonnade_model::schema::MAX_INTEGER;

use super::AdminError;

/// The maximum length of a page of a list.
const MAX_LIMIT: u64 = 500;

/// The values of integer parameters, in the order of `expected`: names and limits. Rejects unknown
/// and repeated ones.
pub(super) fn integers<const N: usize>(
    query: Option<&str>,
    expected: &[(&str, RangeInclusive<u64>); N],
) -> Result<[Option<u64>; N], AdminError> {
    let mut values = [None; N];
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        let Some(index) = expected.iter().position(|(known, _)| *known == name) else {
            let names: Vec<String> = expected.iter().map(|(name, _)| format!("`{name}`")).collect();
            let (name, names) = (name.escape_debug(), names.join(" or "));
            return Err(invalid(format!("unknown parameter `{name}`; expected {names}")));
        };
        let limits = &expected[index].1;
        let number = value.parse().ok().filter(|number| limits.contains(number));
        let number = number.ok_or_else(|| {
            let (min, max) = (limits.start(), limits.end());
            invalid(format!("`{name}` must be an integer from {min} to {max}"))
        })?;
        if values[index].replace(number).is_some() {
            return Err(invalid(format!("`{name}` must not be repeated")));
        }
    }
    Ok(values)
}

/// The page of a list that a request asks for: its length, which is `default` without `limit`, and
/// the number below which it begins.
pub(super) fn page(query: Option<&str>, default: u64) -> Result<(usize, Option<u64>), AdminError> {
    let expected = [("limit", 1..=MAX_LIMIT), ("before", 1..=MAX_INTEGER)];
    let [limit, before] = integers(query, &expected)?;
    let limit = usize::try_from(limit.unwrap_or(default)).unwrap_or(usize::MAX);
    Ok((limit, before))
}

fn invalid(problem: String) -> AdminError {
    AdminError::Query(problem)
}
