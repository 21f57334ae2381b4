//! Reads the body of a sign-up, and parses its fields.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use http_body::Body;
use percent_encoding::percent_decode_str;
use secrecy::{SecretBox, SecretString};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use colonnade_web::body::read_to_end;

use crate::integrations::signup::error::SignupError;
use crate::integrations::signup::fields::{FieldError, Fields, parse_form_age, parse_json_age};

/// The most bytes of a sign-up.
const MAX_BODY_BYTES: usize = 8 * 1024;

/// The timeout for reading a body, which has a few hundred bytes.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The format of a sign-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON, which scripts send.
    Json,
    /// A URL-encoded form.
    Form,
}

impl Format {
    /// The format that a `Content-Type` header names.
    pub(super) fn from_header(content_type: &HeaderValue) -> Option<Self> {
        let essence = content_type.to_str().ok()?.split(';').next()?.trim();
        if essence.eq_ignore_ascii_case("application/json") {
            Some(Self::Json)
        } else if essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            Some(Self::Form)
        } else {
            None
        }
    }
}

/// Reads a body. It cannot be printed by accident.
pub(super) async fn read<B>(body: B) -> Result<SecretBox<Vec<u8>>, SignupError>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let bytes = read_to_end(body, MAX_BODY_BYTES, BODY_TIMEOUT).await?;
    Ok(SecretBox::new(Box::new(bytes)))
}

/// The fields as they were submitted, not yet validated.
#[derive(Default)]
pub(super) struct SubmittedFields {
    email: Option<TextField>,
    password: Option<TextField>,
    age: Option<Result<u64, FieldError>>,
}

/// A field that must be a string.
#[derive(Deserialize)]
#[serde(from = "Value")]
enum TextField {
    /// A string.
    Text(SecretString),
    /// A JSON value of another type.
    WrongType,
}

/// The fields of a JSON body. Unknown fields are ignored; a duplicate field is an error.
#[derive(Deserialize)]
struct JsonFields<'a> {
    email: Option<TextField>,
    password: Option<TextField>,
    /// Unparsed: a number may be too large for every type.
    #[serde(borrow)]
    age: Option<&'a RawValue>,
}

impl SubmittedFields {
    /// Parses the fields of a body.
    pub(super) fn parse(format: Format, body: &[u8]) -> Result<Self, SignupError> {
        match format {
            Format::Json => Self::from_json(body),
            Format::Form => Self::from_form(body),
        }
    }

    fn from_json(body: &[u8]) -> Result<Self, SignupError> {
        let fields: JsonFields<'_> = serde_json::from_slice(body).map_err(|_| SignupError::Malformed)?;
        Ok(Self {
            email: fields.email,
            password: fields.password,
            age: fields.age.map(|age| parse_json_age(age.get())),
        })
    }

    fn from_form(body: &[u8]) -> Result<Self, SignupError> {
        let text = std::str::from_utf8(body).map_err(|_| SignupError::Malformed)?;
        let mut fields = Self::default();
        for pair in text.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = || decode(value);
            let is_duplicate = match decode(name)?.as_str() {
                "email" => fields.email.replace(TextField::Text(value()?.into())).is_some(),
                "password" => fields
                    .password
                    .replace(TextField::Text(value()?.into()))
                    .is_some(),
                "age" => fields.age.replace(parse_form_age(&value()?)).is_some(),
                _ => false,
            };
            if is_duplicate {
                return Err(SignupError::Malformed);
            }
        }
        Ok(fields)
    }

    /// The e-mail address as it was typed, or an empty string.
    pub(super) fn email_text(&self) -> SecretString {
        match &self.email {
            Some(TextField::Text(email)) => email.clone(),
            _ => SecretString::default(),
        }
    }

    /// Validates the fields by the same rules as the form in the browser.
    pub(super) fn validate(self) -> Result<Fields, SignupError> {
        let age = self.age.ok_or(SignupError::Missing("age"))?;
        let email = self.email.ok_or(SignupError::Missing("email"))?;
        let password = self.password.ok_or(SignupError::Missing("password"))?;
        let age = age?;
        let email = email.into_text().ok_or(FieldError::Email)?;
        let password = password.into_text().ok_or(FieldError::Password)?;
        Ok(Fields::new(email, password, age)?)
    }
}

impl From<Value> for TextField {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.into()),
            _ => Self::WrongType,
        }
    }
}

impl TextField {
    fn into_text(self) -> Option<SecretString> {
        match self {
            Self::Text(text) => Some(text),
            Self::WrongType => None,
        }
    }
}

/// Decodes a name or value of a form. Invalid UTF-8 is an error: replacing it would change a
/// password.
fn decode(text: &str) -> Result<String, SignupError> {
    let text = text.replace('+', " ");
    let decoded = percent_decode_str(&text).decode_utf8();
    Ok(decoded.map_err(|_| SignupError::Malformed)?.into_owned())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::HeaderValue;
    use http_body_util::Full;
    use proptest::collection::vec;
    use proptest::prelude::{any, proptest};
    use secrecy::ExposeSecret as _;

    use colonnade_testing::cases;

    use super::{Format, SubmittedFields, TextField, read};
    use crate::document::Form;
    use crate::integrations::signup::fields::Fields;
    use crate::integrations::signup::fuzz;

    #[test]
    fn format_is_parsed_from_content_type() {
        let format = |text| Format::from_header(&HeaderValue::from_static(text));
        assert_eq!(format("application/json"), Some(Format::Json));
        assert_eq!(format("Application/JSON; charset=utf-8"), Some(Format::Json));
        assert_eq!(
            format("application/x-www-form-urlencoded;charset=UTF-8"),
            Some(Format::Form)
        );
        assert_eq!(format("text/plain"), None);
        assert_eq!(format("multipart/form-data; boundary=x"), None);
    }

    #[test]
    fn form_is_decoded_exactly() {
        let body = b"email=a%40b.co&password=+%C3%A9+%2B&age=20&extra=1";
        let fields = SubmittedFields::parse(Format::Form, body).expect("a valid form");
        assert_eq!(fields.email_text().expose_secret(), "a@b.co");
        let password = fields
            .password
            .and_then(TextField::into_text)
            .expect("a password");
        assert_eq!(password.expose_secret(), " é +");
        assert_eq!(fields.age, Some(Ok(20)));
    }

    #[test]
    fn ambiguous_or_invalid_encoding_is_rejected() {
        let form = |body: &[u8]| SubmittedFields::parse(Format::Form, body).is_err();
        assert!(form(b"password=%F0%28"));
        assert!(form(b"password=\xff"));
        assert!(form(b"age=17&age=20"));
        let json = |body: &[u8]| SubmittedFields::parse(Format::Json, body).is_err();
        assert!(json(b"{\"age\":17,\"age\":20}"));
        assert!(json(b"[]"));
        assert!(json(b"{"));
        for password in [
            "\\ud800",
            "\\ud800x",
            "\\ud800\\n",
            "\\udc00",
            "\\ud800\\ud800",
            "\\x",
            "\\u00",
        ] {
            assert!(
                json(format!("{{\"password\":\"{password}\"}}").as_bytes()),
                "{password}"
            );
        }
        assert!(json(b""));
    }

    #[tokio::test]
    async fn debug_output_contains_nothing_that_was_typed() {
        let json = r#"{"email":"mark@mark.example","password":"mark\\\u006dark","age":30}"#;
        let form = "email=mark@mark.example&password=mark%20mark&age=30";
        for (format, text) in [(Format::Json, json), (Format::Form, form)] {
            let body = read(Full::new(Bytes::from(text))).await.expect("read");
            let submitted = SubmittedFields::parse(format, body.expose_secret()).expect("valid fields");
            let email = submitted.email_text();
            let Fields {
                email: checked,
                password,
                ..
            } = submitted.validate().expect("valid fields");
            assert!(password.expose_secret().contains("mark"));
            let form = Form {
                page: "/signup".to_owned(),
                code: None,
                message: String::new(),
                values: [("email", email.clone())].into(),
            };
            let output = format!("{body:?} {email:?} {checked:?} {password:?} {form:?}");
            // As text, and as a list of bytes.
            assert!(
                !output.contains("mark") && !output.contains("109, 97, 114, 107"),
                "{output}"
            );
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn any_body_keeps_invariants(
            form in "((email|password|age|x)=([a-z0-9@.%+ ]{0,20}|a@b.co|123456|2[0-9])&?){0,4}",
            json in "[{}\\[\\]\",:a-z0-9@.\\\\]{0,60}",
            any in vec(0_u8.., 0..100),
        ) {
            fuzz::body(form.as_bytes());
            fuzz::body(json.as_bytes());
            fuzz::body(&any);
        }

        #[test]
        fn valid_json_is_read_exactly(
            email in "[a-z0-9.+_-]{1,20}@[a-z0-9]{1,9}(\\.[a-z]{2,5})?",
            password in vec(any::<char>(), 6..20),
            age in 18_u64..=120,
        ) {
            let password: String = password.into_iter().collect();
            let json = serde_json::json!({ "age": age, "email": email, "password": password }).to_string();
            let Ok(fields) = SubmittedFields::parse(Format::Json, json.as_bytes()).and_then(SubmittedFields::validate) else {
                panic!("a valid body is rejected");
            };
            assert_eq!(fields.email.expose_secret(), email);
            assert_eq!(fields.password.expose_secret(), password);
            assert_eq!(fields.age, age);
            fuzz::body(json.as_bytes());
        }
    }
}
