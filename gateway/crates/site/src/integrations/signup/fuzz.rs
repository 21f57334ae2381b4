//! The fuzz target of the sign-up body.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::ExposeSecret as _;
use serde_json::json;

use crate::integrations::signup::body::{Format, SubmittedFields};
use crate::integrations::signup::error::SignupError;
use crate::integrations::signup::fields::{FieldError, Fields};

/// Parses and validates a body as JSON and as a form. An error message is a fixed text, which
/// quotes nothing of the body. Accepted fields follow the rules, and are accepted again when they
/// are written in either format. The messages of failing assertions contain nothing of the body.
pub(crate) fn body(bytes: &[u8]) {
    for format in [Format::Json, Format::Form] {
        let result = SubmittedFields::parse(format, bytes).and_then(|submitted| {
            let email = submitted.email_text();
            Ok((email, submitted.validate()?))
        });
        match result {
            Err(error) => assert!(is_fixed_error(&error), "an error has an unknown text"),
            Ok((email, fields)) => {
                assert!(
                    fields.email.expose_secret() == email.expose_secret(),
                    "the e-mail address was changed"
                );
                assert_valid(&fields);
                assert_accepted_again(&fields);
            }
        }
    }
}

/// Returns whether the texts of an error, for visitors and in logs, do not depend on the body.
fn is_fixed_error(error: &SignupError) -> bool {
    let missing = ["age", "email", "password"].map(SignupError::Missing);
    let fields = [
        FieldError::UnderAge,
        FieldError::Age,
        FieldError::Email,
        FieldError::EmailTooLong,
        FieldError::Password,
    ];
    let known = std::iter::once(SignupError::Malformed)
        .chain(missing)
        .chain(fields.map(SignupError::Field));
    let texts = |error: &SignupError| (error.to_string(), format!("{error:?}"));
    known.into_iter().any(|known| texts(&known) == texts(error))
}

fn assert_valid(fields: &Fields) {
    assert!((18..=120).contains(&fields.age), "the age is not accepted");
    let email = fields.email.expose_secret();
    let is_plain = email.bytes().all(|byte| byte.is_ascii_graphic());
    assert!(
        is_plain && email.len() <= 254,
        "the e-mail address has other characters or is too long"
    );
    assert!(
        email.matches('@').count() == 1,
        "the e-mail address must have one @"
    );
    let length = fields.password.expose_secret().chars().count();
    assert!(
        (6..=256).contains(&length),
        "the password has {length} characters"
    );
}

fn assert_accepted_again(fields: &Fields) {
    let (email, password) = (fields.email.expose_secret(), fields.password.expose_secret());
    let json = json!({ "email": email, "password": password, "age": fields.age });
    // Browsers encode a space in a form as `+`.
    let encode = |text| {
        utf8_percent_encode(text, NON_ALPHANUMERIC)
            .to_string()
            .replace("%20", "+")
    };
    let form = format!(
        "age={}&email={}&password={}",
        fields.age,
        encode(email),
        encode(password)
    );
    for (format, text) in [(Format::Json, json.to_string()), (Format::Form, form)] {
        let submitted = SubmittedFields::parse(format, text.as_bytes());
        let Ok(again) = submitted.and_then(SubmittedFields::validate) else {
            panic!("accepted fields are rejected as {format:?}");
        };
        let is_same = again.email.expose_secret() == email
            && again.password.expose_secret() == password
            && again.age == fields.age;
        assert!(is_same, "other fields are parsed as {format:?}");
    }
}
