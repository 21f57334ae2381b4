//! Reading a sign-up's body, and the fields from it.

use std::pin::pin;
use std::time::Duration;

use bytes::BufMut as _;
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, HeaderValue};
use http_body::Body;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use percent_encoding::percent_decode_str;
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret as _, ExposeSecretMut as _, SecretBox, SecretString};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::SignupError;
use super::fields::{FieldError, Fields, json_age, text_age};

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

/// Reads a whole body within its limits. The copy that is ours is overwritten when it is dropped, whatever becomes of it;
/// the connection's own buffer is hyper's.
pub(super) async fn read<B>(headers: &HeaderMap, body: B) -> Result<SecretBox<Vec<u8>>, SignupError>
where
    B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > MAX_BODY) {
        return Err(SignupError::TooLarge);
    }
    let collected = tokio::time::timeout(DEADLINE, collect(body, announced.unwrap_or(MAX_BODY))).await;
    collected.unwrap_or(Err(SignupError::Stalled))
}

/// `length` is what the body may come to.
async fn collect<B>(body: B, length: usize) -> Result<SecretBox<Vec<u8>>, SignupError>
where
    B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let mut body = pin!(Limited::new(body, length));
    // As large as it may become: growing would leave a copy behind.
    let mut bytes = SecretBox::new(Box::new(Vec::with_capacity(length)));
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => {
                if let Ok(data) = frame.into_data() {
                    bytes.expose_secret_mut().put(data);
                }
            }
            Err(error) if error.is::<LengthLimitError>() => return Err(SignupError::TooLarge),
            Err(_) => return Err(SignupError::Malformed),
        }
    }
    Ok(bytes)
}

/// The fields as they were typed.
#[derive(Default)]
pub(super) struct Typed {
    email: Option<Text>,
    password: Option<Text>,
    age: Option<Result<u64, FieldError>>,
}

/// A field that is to be text.
enum Text {
    Typed(SecretString),
    /// A JSON value of another kind.
    Odd,
}

/// The fields of a JSON body, as they stand in it. Others are ignored; one that stands there twice is an error.
#[derive(Deserialize)]
struct JsonFields<'a> {
    #[serde(borrow)]
    email: Option<&'a RawValue>,
    #[serde(borrow)]
    password: Option<&'a RawValue>,
    #[serde(borrow)]
    age: Option<&'a RawValue>,
}

impl Typed {
    /// Reads the fields of a body.
    pub(super) fn parse(format: Format, body: &[u8]) -> Result<Self, SignupError> {
        match format {
            Format::Json => Self::from_json(body),
            Format::Form => Self::from_form(body),
        }
    }

    fn from_json(body: &[u8]) -> Result<Self, SignupError> {
        let fields: JsonFields<'_> = serde_json::from_slice(body).map_err(|_| SignupError::Malformed)?;
        Ok(Self {
            email: fields.email.map(Text::from_json).transpose()?,
            password: fields.password.map(Text::from_json).transpose()?,
            age: fields.age.map(|age| json_age(age.get())),
        })
    }

    fn from_form(body: &[u8]) -> Result<Self, SignupError> {
        let text = std::str::from_utf8(body).map_err(|_| SignupError::Malformed)?;
        let mut fields = Self::default();
        for pair in text.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = || decode(value);
            let is_second = match decode(name)?.expose_secret() {
                "email" => fields.email.replace(Text::Typed(value()?)).is_some(),
                "password" => fields.password.replace(Text::Typed(value()?)).is_some(),
                "age" => fields.age.replace(text_age(value()?.expose_secret())).is_some(),
                _ => false,
            };
            if is_second {
                return Err(SignupError::Malformed);
            }
        }
        Ok(fields)
    }

    /// The e-mail address that was typed, or nothing.
    pub(super) fn email_text(&self) -> SecretString {
        match &self.email {
            Some(Text::Typed(email)) => email.clone(),
            _ => SecretString::default(),
        }
    }

    /// Checks the fields by the rules that the form in the browser has, too.
    pub(super) fn check(self) -> Result<Fields, SignupError> {
        let age = self.age.ok_or(SignupError::Missing("age"))?;
        let email = self.email.ok_or(SignupError::Missing("email"))?;
        let password = self.password.ok_or(SignupError::Missing("password"))?;
        let age = age?;
        let email = email.typed().ok_or(FieldError::Email)?;
        let password = password.typed().ok_or(FieldError::Password)?;
        Ok(Fields::new(email, password, age)?)
    }
}

impl Text {
    fn from_json(value: &RawValue) -> Result<Self, SignupError> {
        let quoted = value.get().strip_prefix('"');
        match quoted.and_then(|text| text.strip_suffix('"')) {
            Some(text) => unescape(text).map(Self::Typed),
            None => Ok(Self::Odd),
        }
    }

    fn typed(self) -> Option<SecretString> {
        match self {
            Self::Typed(text) => Some(text),
            Self::Odd => None,
        }
    }
}

/// What stands between the quotes of a JSON string, which is known to be one. Read whole, the string would pass through
/// a buffer of the JSON library that is not overwritten; so it is asked for one character at a time.
fn unescape(text: &str) -> Result<SecretString, SignupError> {
    let mut characters = Zeroizing::new(String::with_capacity(text.len()));
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (plain, escaped) = rest.split_at(at);
        // An escape is `\n`, `\u00e9`, or a pair of the latter.
        let escape = [2, 6, 12].into_iter().find_map(|length| {
            let character = serde_json::from_str(&format!("\"{}\"", escaped.get(..length)?));
            Some((character.ok()?, length))
        });
        let (character, length): (char, usize) = escape.ok_or(SignupError::Malformed)?;
        characters.push_str(plain);
        characters.push(character);
        rest = &escaped[length..];
    }
    characters.push_str(rest);
    Ok(SecretString::from(characters.as_str()))
}

/// Decodes a name or value of a form. What is not UTF-8 is refused: replacing it would change a password.
fn decode(text: &str) -> Result<SecretString, SignupError> {
    // No longer than what it is written as: growing would leave a copy behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len()));
    for (number, piece) in text.split('+').enumerate() {
        if number > 0 {
            bytes.push(b' ');
        }
        bytes.extend(percent_decode_str(piece));
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| SignupError::Malformed)?;
    Ok(SecretString::from(text))
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

    use super::{CONTENT_LENGTH, Format, MAX_BODY, Text, Typed, read};
    use crate::document::Form;
    use crate::signup::fields::Fields;
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
            read(&HeaderMap::new(), full(MAX_BODY))
                .await
                .expect("read")
                .expose_secret()
                .len(),
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

    #[tokio::test]
    async fn a_body_that_is_longer_than_announced_is_not_read_on() {
        let headers = HeaderMap::from_iter([(CONTENT_LENGTH, HeaderValue::from(3))]);
        let full = Full::new(Bytes::from_static(b"more"));
        assert!(matches!(read(&headers, full).await, Err(SignupError::TooLarge)));
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
        let fields = Typed::parse(Format::Form, body).expect("read");
        assert_eq!(fields.email_text().expose_secret(), "a@b.co");
        let password = fields.password.and_then(Text::typed).expect("typed");
        assert_eq!(password.expose_secret(), " é +");
        assert_eq!(fields.age, Some(Ok(20)));
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
    async fn what_can_be_shown_on_the_way_shows_nothing_that_was_typed() {
        let json = r#"{"email":"mark@mark.example","password":"mark\\\u006dark","age":30}"#;
        let form = "email=mark@mark.example&password=mark%20mark&age=30";
        for (format, text) in [(Format::Json, json), (Format::Form, form)] {
            let body = read(&HeaderMap::new(), Full::new(Bytes::from(text)))
                .await
                .expect("read");
            let typed = Typed::parse(format, body.expose_secret()).expect("parsed");
            let email = typed.email_text();
            let Fields {
                email: checked,
                password,
                ..
            } = typed.check().expect("valid");
            assert!(password.expose_secret().contains("mark"));
            let form = Form {
                page: "/signup".to_owned(),
                error: String::new(),
                email: email.clone(),
                unreachable: false,
                under_age: false,
            };
            let shown = format!("{body:?} {email:?} {checked:?} {password:?} {form:?}");
            // As text, and as the numbers of its bytes.
            assert!(
                !shown.contains("mark") && !shown.contains("109, 97, 114, 107"),
                "{shown}"
            );
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn a_json_string_is_read_as_the_library_reads_it(
            text in "([a-zé\"]|\\\\[nrtbfu/\"\\\\x]|\\\\u[0-9a-fA-F]{4}|\\\\ud8[0-9a-f]{2}\\\\udc[0-9a-f]{2}|😀){0,12}",
        ) {
            let json = format!("{{\"password\":\"{text}\"}}");
            let expected = serde_json::from_str::<serde_json::Value>(&json);
            let read = Typed::parse(Format::Json, json.as_bytes());
            let read = read.map(|typed| typed.password.and_then(Text::typed).expect("typed"));
            assert_eq!(read.is_ok(), expected.is_ok(), "{json}");
            if let (Ok(read), Ok(expected)) = (read, expected) {
                assert_eq!(read.expose_secret(), expected["password"]);
            }
        }

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
