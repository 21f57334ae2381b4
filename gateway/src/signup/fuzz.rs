//! What must hold of a sign-up's body, whatever is sent.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::SignupError;
use super::body::{Format, Typed};
use super::fields::{FieldError, Fields};

/// What is refused is refused in words that are ours alone. What is accepted keeps to the rules, is exactly what was
/// typed, and is accepted as the same however it is written. None of it is in the words of a test that fails.
pub(crate) fn body(bytes: &[u8]) {
    for format in [Format::Json, Format::Form] {
        let outcome = Typed::parse(format, bytes).and_then(|typed| {
            let email = typed.email_text();
            Ok((email, typed.check()?))
        });
        match outcome {
            Err(error) => assert!(is_ours(&error), "an error has other words than ours"),
            Ok((email, fields)) => {
                assert!(
                    fields.email.expose_secret() == email.expose_secret(),
                    "another address is sent on"
                );
                keeps_to_the_rules(&fields);
                is_the_same_again(&fields);
            }
        }
    }
}

/// Whether an error says nothing that depends on what was typed, to people or in a log.
fn is_ours(error: &SignupError) -> bool {
    let missing = ["age", "email", "password"].map(SignupError::Missing);
    let fields = [
        FieldError::UnderAge,
        FieldError::Age,
        FieldError::Email,
        FieldError::Password,
    ];
    let known = std::iter::once(SignupError::Malformed)
        .chain(missing)
        .chain(fields.map(SignupError::Field));
    let texts = |error: &SignupError| (error.to_string(), format!("{error:?}"));
    known.into_iter().any(|known| texts(&known) == texts(error))
}

fn keeps_to_the_rules(fields: &Fields) {
    assert!((18..=120).contains(&fields.age), "an age that may not sign up");
    let email = fields.email.expose_secret();
    let is_plain = email.bytes().all(|byte| byte.is_ascii_graphic());
    assert!(is_plain && email.len() <= 254, "an address that could say more");
    assert!(email.matches('@').count() == 1, "an address of two");
    let length = fields.password.expose_secret().chars().count();
    assert!((6..=256).contains(&length), "a password of {length}");
}

fn is_the_same_again(fields: &Fields) {
    let (email, password) = (fields.email.expose_secret(), fields.password.expose_secret());
    let json = json!({ "email": email, "password": password, "age": fields.age });
    // As browsers write a form.
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
        let Ok(again) = Typed::parse(format, text.as_bytes()).and_then(Typed::check) else {
            panic!("what was accepted is refused as {format:?}");
        };
        let is_same = again.email.expose_secret() == email
            && again.password.expose_secret() == password
            && again.age == fields.age;
        assert!(is_same, "something else is read as {format:?}");
    }
}
