//! Query parameters.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use url::form_urlencoded;

use colonnade_model::event::Position;
use colonnade_model::schema::{MAX_INTEGER, Name};

use crate::AdminError;

/// The maximum length of a page of a list.
const MAX_LIMIT: u64 = 500;

/// The length of a page of the audit log.
const DEFAULT_AUDIT_LIMIT: u64 = 100;

/// The values of parameters, in the order of `expected`. Rejects unknown and repeated ones.
fn values<'a, const N: usize>(
    query: Option<&'a str>,
    expected: [&str; N],
) -> Result<[Option<Cow<'a, str>>; N], AdminError> {
    let mut values = [const { None }; N];
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        let Some(index) = expected.iter().position(|known| *known == name) else {
            let names = expected.map(|name| format!("`{name}`")).join(" or ");
            let name = name.escape_debug();
            return Err(invalid(format!("unknown parameter `{name}`; expected {names}")));
        };
        if values[index].replace(value).is_some() {
            return Err(invalid(format!("`{name}` must not be repeated")));
        }
    }
    Ok(values)
}

/// The value of an integer parameter within these limits.
fn integer(name: &str, value: Option<&str>, limits: &RangeInclusive<u64>) -> Result<Option<u64>, AdminError> {
    let Some(value) = value else {
        return Ok(None);
    };
    let number = value.parse().ok().filter(|number| limits.contains(number));
    let (min, max) = (limits.start(), limits.end());
    let problem = || invalid(format!("`{name}` must be an integer from {min} to {max}"));
    number.ok_or_else(problem).map(Some)
}

/// The values of integer parameters, in the order of `expected`: names and limits. Rejects unknown
/// and repeated ones.
pub(super) fn integers<const N: usize>(
    query: Option<&str>,
    expected: &[(&str, RangeInclusive<u64>); N],
) -> Result<[Option<u64>; N], AdminError> {
    let values = values(query, expected.each_ref().map(|(name, _)| *name))?;
    let mut numbers = [None; N];
    for ((number, value), (name, limits)) in numbers.iter_mut().zip(values).zip(expected) {
        *number = integer(name, value.as_deref(), limits)?;
    }
    Ok(numbers)
}

/// The value of the only parameter, which a request must have.
pub(super) fn text(query: Option<&str>, name: &str) -> Result<String, AdminError> {
    let [value] = values(query, [name])?;
    let value = value.ok_or_else(|| invalid(format!("`{name}` is missing")))?;
    Ok(value.into_owned())
}

/// The length of a page.
fn length(limit: Option<&str>, default: u64) -> Result<usize, AdminError> {
    let limit = integer("limit", limit, &(1..=MAX_LIMIT))?.unwrap_or(default);
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// The page of a list that a request asks for: its length, which is `default` without `limit`, and
/// the number below which it begins.
pub(super) fn page(query: Option<&str>, default: u64) -> Result<(usize, Option<u64>), AdminError> {
    let [limit, before] = values(query, ["limit", "before"])?;
    let before = integer("before", before.as_deref(), &(1..=MAX_INTEGER))?;
    Ok((length(limit.as_deref(), default)?, before))
}

/// The page of the history that a request asks for, and the section that its changes concern.
pub(super) fn history(
    query: Option<&str>,
    default: u64,
) -> Result<(usize, Option<u64>, Option<String>), AdminError> {
    let [limit, before, section] = values(query, ["limit", "before", "section"])?;
    let before = integer("before", before.as_deref(), &(1..=MAX_INTEGER))?;
    let section = section.map(|section| Name::try_from(section.into_owned()));
    let section = section
        .transpose()
        .map_err(|problem| invalid(format!("`section`: {problem}")))?;
    Ok((
        length(limit.as_deref(), default)?,
        before,
        section.map(|Name(name)| name),
    ))
}

/// The page of the audit log that a request asks for: the position after which it begins, and its
/// length.
pub(super) fn after(query: Option<&str>) -> Result<(Position, usize), AdminError> {
    let [after, limit] = values(query, ["after", "limit"])?;
    let after = after.map(|after| after.parse()).transpose();
    let after = after.map_err(|expected| invalid(format!("`after`: {expected}")))?;
    Ok((
        after.unwrap_or_default(),
        length(limit.as_deref(), DEFAULT_AUDIT_LIMIT)?,
    ))
}

fn invalid(problem: String) -> AdminError {
    AdminError::Query(problem)
}
