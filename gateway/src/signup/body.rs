//! Reading a sign-up's body, and the fields from it.

use std::time::Duration;

use http::header::CONTENT_LENGTH;
use http::{HeaderMap, HeaderValue};
use http_body::Body;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use percent_encoding::percent_decode_str;
use secrecy::zeroize::Zeroizing;
use serde::Deserialize;
use serde_json::Value;

use super::SignupError;
use super::fields::Fields;

/// The most bytes a sign-up may have.
const MAX_BODY: usize = 8 * 1024;

/// How long a body may take to arrive. It is a few hundred bytes: who needs longer is gone or up to no good.
const DEADLINE: Duration = Duration::from_secs(10);

/// How the fields are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Form,
}

impl Format {
    /// The format a Content-Type names.
    pub(super) fn of(content_type: &HeaderValue) -> Option<Self> {
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

/// Reads a whole body within its limits.
pub(super) async fn read<B>(headers: &HeaderMap, body: B) -> Result<Zeroizing<Vec<u8>>, SignupError>
where
    B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > MAX_BODY) {
        return Err(SignupError::TooLarge);
    }
    let collected = tokio::time::timeout(DEADLINE, Limited::new(body, MAX_BODY).collect()).await;
    match collected {
        Err(_) => Err(SignupError::Stalled),
        Ok(Ok(body)) => Ok(Zeroizing::new(body.to_bytes().to_vec())),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(SignupError::TooLarge),
        Ok(Err(_)) => Err(SignupError::Malformed),
    }
}

/// The fields as they were typed.
pub(super) enum Typed {
    Json(JsonFields),
    Form(FormFields),
}

/// The fields of a JSON body. Others are ignored; one that stands there twice is an error.
#[derive(Deserialize)]
pub(super) struct JsonFields {
    email: Option<Value>,
    password: Option<Value>,
    age: Option<Value>,
}

/// The fields of a form.
#[derive(Default)]
pub(super) struct FormFields {
    email: Option<String>,
    password: Option<String>,
    age: Option<String>,
}

impl Typed {
    /// Reads the fields of a body.
    pub(super) fn parse(format: Format, body: &[u8]) -> Result<Self, SignupError> {
        match format {
            Format::Json => serde_json::from_slice(body)
                .map(Self::Json)
                .map_err(|_| SignupError::Malformed),
            Format::Form => FormFields::parse(body).map(Self::Form),
        }
    }

    /// The e-mail address that was typed, or nothing.
    pub(super) fn email_text(&self) -> &str {
        let email = match self {
            Self::Json(fields) => fields.email.as_ref().and_then(Value::as_str),
            Self::Form(fields) => fields.email.as_deref(),
        };
        email.unwrap_or_default()
    }

    /// Checks the fields by the rules that the form in the browser has, too.
    pub(super) fn check(self) -> Result<Fields, SignupError> {
        match self {
            Self::Json(fields) => {
                let age = fields.age.ok_or(SignupError::Missing("age"))?;
                let email = fields.email.ok_or(SignupError::Missing("email"))?;
                let password = fields.password.ok_or(SignupError::Missing("password"))?;
                Ok(Fields::from_json(email, password, &age)?)
            }
            Self::Form(fields) => {
                let age = fields.age.ok_or(SignupError::Missing("age"))?;
                let email = fields.email.ok_or(SignupError::Missing("email"))?;
                let password = fields.password.ok_or(SignupError::Missing("password"))?;
                Ok(Fields::from_form(email, password, &age)?)
            }
        }
    }
}

impl FormFields {
    fn parse(body: &[u8]) -> Result<Self, SignupError> {
        let text = std::str::from_utf8(body).map_err(|_| SignupError::Malformed)?;
        let mut fields = Self::default();
        for pair in text.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let field = match decode(name)?.as_str() {
                "email" => &mut fields.email,
                "password" => &mut fields.password,
                "age" => &mut fields.age,
                _ => continue,
            };
            if field.replace(decode(value)?).is_some() {
                return Err(SignupError::Malformed);
            }
        }
        Ok(fields)
    }
}

/// Decodes a name or value of a form. What is not UTF-8 is refused: replacing it would change a password.
fn decode(text: &str) -> Result<String, SignupError> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    decoded
        .map(std::borrow::Cow::into_owned)
        .map_err(|_| SignupError::Malformed)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use bytes::Bytes;
    use http::{HeaderMap, HeaderValue};
    use http_body::{Body, Frame};
    use http_body_util::Full;
    use proptest::collection::vec;
    use proptest::prelude::{any, proptest};
    use secrecy::ExposeSecret as _;

    use super::{CONTENT_LENGTH, Format, MAX_BODY, Typed, read};
    use crate::signup::{SignupError, fuzz};
    use crate::testing::cases;

    /// A body whose sender has gone quiet.
    struct Quiet;

    impl Body for Quiet {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Pending
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stalls_is_given_up() {
        let outcome = read(&HeaderMap::new(), Quiet).await;
        assert!(matches!(outcome, Err(SignupError::Stalled)));
    }

    #[tokio::test]
    async fn a_body_may_be_as_long_as_the_limit_and_no_longer() {
        let full = |length| Full::new(Bytes::from(vec![b'a'; length]));
        assert_eq!(
            read(&HeaderMap::new(), full(MAX_BODY)).await.expect("read").len(),
            MAX_BODY
        );
        let outcome = read(&HeaderMap::new(), full(MAX_BODY + 1)).await;
        assert!(matches!(outcome, Err(SignupError::TooLarge)));
    }

    #[tokio::test]
    async fn an_announced_length_is_believed_before_anything_is_read() {
        let headers = HeaderMap::from_iter([(CONTENT_LENGTH, HeaderValue::from(MAX_BODY + 1))]);
        assert!(matches!(read(&headers, Quiet).await, Err(SignupError::TooLarge)));
    }

    #[test]
    fn formats_are_told_by_their_essence() {
        let of = |text| Format::of(&HeaderValue::from_static(text));
        assert_eq!(of("application/json"), Some(Format::Json));
        assert_eq!(of("Application/JSON; charset=utf-8"), Some(Format::Json));
        assert_eq!(
            of("application/x-www-form-urlencoded;charset=UTF-8"),
            Some(Format::Form)
        );
        assert_eq!(of("text/plain"), None);
        assert_eq!(of("multipart/form-data; boundary=x"), None);
    }

    #[test]
    fn a_form_is_decoded_exactly() {
        let body = b"email=a%40b.co&password=+%C3%A9+%2B&age=20&extra=1";
        let Ok(Typed::Form(fields)) = Typed::parse(Format::Form, body) else {
            panic!("not read");
        };
        assert_eq!(fields.email.as_deref(), Some("a@b.co"));
        assert_eq!(fields.password.as_deref(), Some(" é +"));
        assert_eq!(fields.age.as_deref(), Some("20"));
    }

    #[test]
    fn what_cannot_be_read_exactly_is_refused() {
        let form = |body: &[u8]| Typed::parse(Format::Form, body).is_err();
        assert!(form(b"password=%F0%28"));
        assert!(form(b"password=\xff"));
        assert!(form(b"age=17&age=20"));
        let json = |body: &[u8]| Typed::parse(Format::Json, body).is_err();
        assert!(json(b"{\"age\":17,\"age\":20}"));
        assert!(json(b"[]"));
        assert!(json(b"{"));
        assert!(json(b"{\"password\":\"\\ud800\"}"));
        assert!(json(b""));
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn no_body_is_too_odd(
            form in "((email|password|age|x)=([a-z0-9@.%+ ]{0,20}|a@b.co|123456|2[0-9])&?){0,4}",
            json in "[{}\\[\\]\",:a-z0-9@.\\\\]{0,60}",
            any in vec(0_u8.., 0..100),
        ) {
            fuzz::body(form.as_bytes());
            fuzz::body(json.as_bytes());
            fuzz::body(&any);
        }

        #[test]
        fn what_may_be_typed_is_read_as_it_was_typed(
            email in "[a-z0-9.+_-]{1,20}@[a-z0-9]{1,9}(\\.[a-z]{2,5})?",
            password in vec(any::<char>(), 6..20),
            age in 18_u64..=120,
        ) {
            let password: String = password.into_iter().collect();
            let json = serde_json::json!({ "age": age, "email": email, "password": password }).to_string();
            let Ok(fields) = Typed::parse(Format::Json, json.as_bytes()).and_then(Typed::check) else {
                panic!("not read");
            };
            assert_eq!(fields.email.expose_secret(), email);
            assert_eq!(fields.password.expose_secret(), password);
            assert_eq!(fields.age, age);
            fuzz::body(json.as_bytes());
        }
    }
}
