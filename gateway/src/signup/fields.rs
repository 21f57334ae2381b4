//! The rules for what may be typed. The form in the browser has the same, tested by the same table
//! (`tests/tables/signup-fields.json`).

use std::ops::RangeInclusive;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

/// The ages that may be stated.
const AGES: RangeInclusive<u64> = 18..=120;

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
    /// Checks the values of a JSON body.
    pub(super) fn from_json(email: Value, password: Value, age: &Value) -> Result<Self, FieldError> {
        let age = json_age(age)?;
        let Value::String(email) = email else {
            return Err(FieldError::Email);
        };
        let Value::String(password) = password else {
            return Err(FieldError::Password);
        };
        Self::new(email, password, age)
    }

    /// Checks the values of a form.
    pub(super) fn from_form(email: String, password: String, age: &str) -> Result<Self, FieldError> {
        let age = text_age(age)?;
        Self::new(email, password, age)
    }

    fn new(email: String, password: String, age: u64) -> Result<Self, FieldError> {
        let (email, password) = (SecretString::from(email), SecretString::from(password));
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

/// An age in JSON is an integer, not a text and not a number with a fraction.
fn json_age(value: &Value) -> Result<u64, FieldError> {
    stated(value.as_u64().ok_or(FieldError::Age)?)
}

/// An age in a form is decimal digits and nothing else.
fn text_age(text: &str) -> Result<u64, FieldError> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let age = if digits { text.parse().ok() } else { None };
    stated(age.ok_or(FieldError::Age)?)
}

fn stated(age: u64) -> Result<u64, FieldError> {
    match age {
        age if AGES.contains(&age) => Ok(age),
        age if age < *AGES.start() => Err(FieldError::UnderAge),
        _ => Err(FieldError::Age),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::Value;

    use super::{is_email, is_password, json_age, text_age};

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Cases {
        email: Vec<TextCase>,
        password: Vec<TextCase>,
        age_json: Vec<JsonCase>,
        age_text: Vec<TextCase>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct TextCase {
        value: Option<String>,
        repeat: Option<(String, usize)>,
        valid: bool,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct JsonCase {
        value: Value,
        valid: bool,
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
            (&cases.age_text, |text| text_age(text).is_ok()),
        ];
        for (cases, rule) in texts {
            assert!(cases.iter().any(|case| case.valid) && cases.iter().any(|case| !case.valid));
            for case in cases {
                assert_eq!(rule(&case.text()), case.valid, "{:?}", case.text());
            }
        }
        assert!(cases.age_json.len() > 10);
        for case in &cases.age_json {
            assert_eq!(json_age(&case.value).is_ok(), case.valid, "{}", case.value);
        }
    }
}
