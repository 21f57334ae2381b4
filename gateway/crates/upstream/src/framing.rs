//! Whether it is certain where a response ends (RFC 9112, section 6.3).
//!
//! hyper reads some responses that another recipient would read in another way, and leaves their
//! fields as they are. Forwarded, their length would not be that of the body, so that the rest of
//! the body could pass for the next response.

use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::response::Parts;
use http::{HeaderValue, Version};

/// Checks the status and the length of a response. The error says what is wrong.
pub(crate) fn check(head: &Parts) -> Result<(), &'static str> {
    if !(100..600).contains(&head.status.as_u16()) {
        return Err("the status is not within 100 to 599");
    }
    let mut lengths = head.headers.get_all(CONTENT_LENGTH).iter();
    let mut codings = head.headers.get_all(TRANSFER_ENCODING).iter();
    if let Some(coding) = codings.next() {
        let is_chunked = coding.as_bytes().eq_ignore_ascii_case(b"chunked") && codings.next().is_none();
        return if !is_chunked {
            Err("the transfer coding is not `chunked`")
        } else if lengths.next().is_some() {
            Err("the response has both Transfer-Encoding and Content-Length")
        } else if head.version < Version::HTTP_11 {
            Err("the response has a Transfer-Encoding, but not the version HTTP/1.1")
        } else {
            Ok(())
        };
    }
    if lengths.next().is_some_and(|length| !is_decimal(length)) || lengths.next().is_some() {
        return Err("the Content-Length is not one number");
    }
    Ok(())
}

fn is_decimal(value: &HeaderValue) -> bool {
    !value.is_empty() && value.as_bytes().iter().all(u8::is_ascii_digit)
}
