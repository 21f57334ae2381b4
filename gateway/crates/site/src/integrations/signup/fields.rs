//! Validation of the fields. The form in the browser has the same rules, tested with the same table
//! (`tests/tables/signup-fields.json`).

use std::ops::RangeInclusive;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Number;

/// The accepted ages.
const AGES: RangeInclusive<u64> = MIN_AGE as u64..=120;

/// The minimum age.
const MIN_AGE: u8 = 18;

/// The most bytes of an e-mail address (RFC 5321, erratum 1690).
const MAX_EMAIL_BYTES: usize = 254;

/// The accepted lengths of a password, in Unicode code points.
const PASSWORD_LENGTH: RangeInclusive<usize> = 6..=256;

/// The valid fields of a sign-up.
pub(super) struct Fields {
    /// A valid e-mail address.
    pub(super) email: SecretString,
    /// The password, exactly as it was typed.
    pub(super) password: SecretString,
    /// An accepted age.
    pub(super) age: u64,
}

/// Why a field is invalid. The texts are shown to visitors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum FieldError {
    /// The stated age is below the minimum.
    #[error("Sorry, this site is only for people 18 or older.")]
    UnderAge,
    /// The age is not a whole number in the accepted range.
    #[error("Enter your age as a whole number from 18 to 120.")]
    Age,
    /// The e-mail address is invalid.
    #[error("Enter an email address like name@example.com.")]
    Email,
    /// The e-mail address is too long.
    #[error("Use an email address of at most {MAX_EMAIL_BYTES} characters.")]
    EmailTooLong,
    /// The password is too short or too long.
    #[error("Choose a password with 6 to 256 characters.")]
    Password,
}

impl Fields {
    /// Validates the e-mail address and the password. The age must be an accepted one.
    pub(super) fn new(email: SecretString, password: SecretString, age: u64) -> Result<Self, FieldError> {
        check_email(email.expose_secret())?;
        if !is_password(password.expose_secret()) {
            return Err(FieldError::Password);
        }
        Ok(Self { email, password, age })
    }
}

fn check_email(text: &str) -> Result<(), FieldError> {
    if is_email(text) {
        Ok(())
    } else if text.chars().count() > MAX_EMAIL_BYTES {
        Err(FieldError::EmailTooLong)
    } else {
        Err(FieldError::Email)
    }
}

/// Whether a string is a valid e-mail address by the HTML standard, and not too long.
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
    text.len() <= MAX_EMAIL_BYTES
        && !local.is_empty()
        && local.bytes().all(local_byte)
        && domain.split('.').all(label)
}

fn is_password(text: &str) -> bool {
    PASSWORD_LENGTH.contains(&text.chars().count())
}

/// Parses an age in JSON. It must be an integer; strings and fractions are invalid. A fraction can
/// still be below the minimum age.
pub(super) fn parse_json_age(text: &str) -> Result<u64, FieldError> {
    let value: Number = serde_json::from_str(text).map_err(|_| FieldError::Age)?;
    match (value.as_u64(), value.as_f64()) {
        (Some(age), _) if AGES.contains(&age) => Ok(age),
        (_, Some(years)) if (0.0..f64::from(MIN_AGE)).contains(&years) => Err(FieldError::UnderAge),
        _ => Err(FieldError::Age),
    }
}

/// Parses an age in a form. It must consist of decimal digits. A number with a fraction or
/// surrounding whitespace is invalid, but can still be below the minimum age.
pub(super) fn parse_form_age(text: &str) -> Result<u64, FieldError> {
    match parse_digits(text) {
        Some(age) if AGES.contains(&age) => Ok(age),
        _ if whole_years(text).is_some_and(|years| years < *AGES.start()) => Err(FieldError::UnderAge),
        _ => Err(FieldError::Age),
    }
}

/// Parses a number of decimal digits.
fn parse_digits(text: &str) -> Option<u64> {
    let all = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if all { text.parse().ok() } else { None }
}

/// The whole years of an age with or without a fraction and surrounding whitespace.
fn whole_years(text: &str) -> Option<u64> {
    let text = text.trim_ascii();
    let Some((whole, fraction)) = text.split_once(['.', ',']) else {
        return parse_digits(text);
    };
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    if is_fraction { parse_digits(whole) } else { None }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::Value;

    use super::{FieldError, check_email, is_email, is_password, parse_form_age, parse_json_age};

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
        fn matches(&self, outcome: Result<u64, FieldError>) -> bool {
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
                _ => panic!("a case must have either a value or a repeat"),
            }
        }
    }

    fn cases() -> Cases {
        let table = include_str!("../../../../../../tests/tables/signup-fields.json");
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
    fn email_over_limit_names_limit() {
        let email = |length: usize| format!("{}@example.com", "x".repeat(length - 12));
        assert_eq!(check_email(&email(254)), Ok(()));
        let error = check_email(&email(255)).expect_err("the address is too long");
        assert_eq!(
            error.to_string(),
            "Use an email address of at most 254 characters."
        );
    }

    #[test]
    fn ages_follow_the_shared_table() {
        let cases = cases();
        assert!(cases.age_json.len() > 10 && cases.age_json.iter().any(|case| case.under_age));
        for case in &cases.age_json {
            assert!(
                case.matches(parse_json_age(&case.value.to_string())),
                "{}",
                case.value
            );
        }
        assert!(cases.age_text.len() > 10 && cases.age_text.iter().any(|case| case.under_age));
        for case in &cases.age_text {
            assert!(case.matches(parse_form_age(&case.value)), "{:?}", case.value);
        }
    }
}
