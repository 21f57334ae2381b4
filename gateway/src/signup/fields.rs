//! The rules for what may be typed. The form in the browser has the same, tested by the same table
//! (`tests/tables/signup-fields.json`).

use std::ops::RangeInclusive;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Number;

/// The ages that may be stated.
const AGES: RangeInclusive<u64> = ADULT as u64..=120;

/// The age that nobody may be under.
const ADULT: u8 = 18;

/// The most characters of an e-mail address (RFC 5321, as corrected).
const MAX_EMAIL: usize = 254;

/// How many Unicode code points a password may have.
const PASSWORD: RangeInclusive<usize> = 6..=256;

/// The fields of a sign-up that may be sent on.
pub(super) struct Fields {
    /// A valid e-mail address.
    pub(super) email: SecretString,
    /// A password, exactly as it was typed.
    pub(super) password: SecretString,
    /// An age that may sign up.
    pub(super) age: u64,
}

/// Which field is not acceptable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FieldError {
    #[error("Sorry, this site is only for people who are 18 or older.")]
    UnderAge,
    #[error("Please state your age as a whole number from 18 to 120.")]
    Age,
    #[error("Please enter a valid e-mail address.")]
    Email,
    #[error("Please choose a password of 6 to 256 characters.")]
    Password,
}

impl Fields {
    /// Checks what was typed, but for the age, which is one that may sign up.
    pub(super) fn new(email: SecretString, password: SecretString, age: u64) -> Result<Self, FieldError> {
        if !is_email(email.expose_secret()) {
            return Err(FieldError::Email);
        }
        if !is_password(password.expose_secret()) {
            return Err(FieldError::Password);
        }
        Ok(Self { email, password, age })
    }
}

/// Whether a text is what HTML calls a valid e-mail address, and not too long for one.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    let local_byte = |b: u8| b.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&b);
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    text.len() <= MAX_EMAIL
        && !local.is_empty()
        && local.bytes().all(local_byte)
        && domain.split('.').all(label)
}

fn is_password(text: &str) -> bool {
    PASSWORD.contains(&text.chars().count())
}

/// An age in JSON is an integer, not a text and not a number with a fraction. A number with one may still be under 18.
pub(super) fn json_age(text: &str) -> Result<u64, FieldError> {
    let value: Number = serde_json::from_str(text).map_err(|_| FieldError::Age)?;
    match (value.as_u64(), value.as_f64()) {
        (Some(age), _) if AGES.contains(&age) => Ok(age),
        (_, Some(years)) if (0.0..f64::from(ADULT)).contains(&years) => Err(FieldError::UnderAge),
        _ => Err(FieldError::Age),
    }
}

/// An age in a form is decimal digits and nothing else. A number with a fraction or with blanks around it is none, but
/// may still say that somebody is under 18.
pub(super) fn text_age(text: &str) -> Result<u64, FieldError> {
    match digits(text) {
        Some(age) if AGES.contains(&age) => Ok(age),
        _ if whole_years(text).is_some_and(|years| years < *AGES.start()) => Err(FieldError::UnderAge),
        _ => Err(FieldError::Age),
    }
}

/// The number that decimal digits write, if it is not beyond all ages.
fn digits(text: &str) -> Option<u64> {
    let all = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if all { text.parse().ok() } else { None }
}

/// The whole years of an age with or without a fraction, whatever blanks stand around it.
fn whole_years(text: &str) -> Option<u64> {
    let text = text.trim_ascii();
    let Some((whole, fraction)) = text.split_once(['.', ',']) else {
        return digits(text);
    };
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    if is_fraction { digits(whole) } else { None }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::Value;

    use super::{FieldError, is_email, is_password, json_age, text_age};

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Cases {
        email: Vec<TextCase>,
        password: Vec<TextCase>,
        age_json: Vec<AgeCase<Value>>,
        age_text: Vec<AgeCase<String>>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct TextCase {
        value: Option<String>,
        repeat: Option<(String, usize)>,
        valid: bool,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct AgeCase<T> {
        value: T,
        valid: bool,
        under_age: bool,
    }

    impl<T> AgeCase<T> {
        fn is_met(&self, outcome: Result<u64, FieldError>) -> bool {
            match outcome {
                Ok(_) => self.valid,
                Err(error) => !self.valid && self.under_age == (error == FieldError::UnderAge),
            }
        }
    }

    impl TextCase {
        fn text(&self) -> String {
            match (&self.value, &self.repeat) {
                (Some(value), None) => value.clone(),
                (None, Some((text, times))) => text.repeat(*times),
                _ => panic!("a case has either a value or a repeat"),
            }
        }
    }

    fn cases() -> Cases {
        let table = include_str!("../../../tests/tables/signup-fields.json");
        serde_json::from_str(table).expect("the table is well-formed")
    }

    #[test]
    fn fields_follow_the_shared_table() {
        let cases = cases();
        let texts = [
            (&cases.email, is_email as fn(&str) -> bool),
            (&cases.password, is_password),
        ];
        for (cases, rule) in texts {
            assert!(cases.iter().any(|case| case.valid) && cases.iter().any(|case| !case.valid));
            for case in cases {
                assert_eq!(rule(&case.text()), case.valid, "{:?}", case.text());
            }
        }
    }

    #[test]
    fn ages_follow_the_shared_table() {
        let cases = cases();
        assert!(cases.age_json.len() > 10 && cases.age_json.iter().any(|case| case.under_age));
        for case in &cases.age_json {
            assert!(case.is_met(json_age(&case.value.to_string())), "{}", case.value);
        }
        assert!(cases.age_text.len() > 10 && cases.age_text.iter().any(|case| case.under_age));
        for case in &cases.age_text {
            assert!(case.is_met(text_age(&case.value)), "{:?}", case.value);
        }
    }
}
