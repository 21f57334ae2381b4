//! The parser of the PROXY protocol, versions 1 and 2
//! (<https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt>).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The maximum accepted length of a header. Version 2 allows 64 KiB, but no proxy sends that much.
pub(super) const MAX_LENGTH: usize = 4096;

/// What the bytes of a connection begin with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Header {
    /// A header of this length. `source` is the address of the client; `None` if the proxy opened
    /// the connection for itself or does not know the address.
    Complete { source: Option<IpAddr>, length: usize },
    /// The beginning of a header.
    Incomplete,
    /// Not a header.
    Invalid,
}

const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";

/// The length of the fixed part of version 2: signature, version and command, family, length.
const FIXED: usize = 16;

/// The maximum length of the line of version 1, with its line end.
const MAX_LINE: usize = 107;

/// Parses the header at the start of `bytes`.
pub(super) fn parse(bytes: &[u8]) -> Header {
    let is_v2 = bytes
        .iter()
        .zip(SIGNATURE)
        .all(|(byte, expected)| byte == expected);
    if is_v2 { parse_v2(bytes) } else { parse_v1(bytes) }
}

/// Version 1: `PROXY TCP4 192.0.2.1 192.0.2.2 1234 443\r\n`.
fn parse_v1(bytes: &[u8]) -> Header {
    let has_prefix = bytes
        .iter()
        .zip(b"PROXY ")
        .all(|(byte, expected)| byte == expected);
    if !has_prefix {
        return Header::Invalid;
    }
    let within = &bytes[..bytes.len().min(MAX_LINE)];
    let Some(end) = within.windows(2).position(|pair| pair == b"\r\n") else {
        return if bytes.len() < MAX_LINE {
            Header::Incomplete
        } else {
            Header::Invalid
        };
    };
    let length = end + 2;
    let words = std::str::from_utf8(&bytes[..end]).map(|line| line.split(' ').skip(1).collect::<Vec<_>>());
    match words.as_deref() {
        Ok(["UNKNOWN", ..]) => Header::Complete { source: None, length },
        Ok([family @ ("TCP4" | "TCP6"), source, target, from, to]) => {
            let ports = [from, to].into_iter().all(|port| is_port(port));
            let is_v4 = *family == "TCP4";
            match (source.parse::<IpAddr>(), target.parse::<IpAddr>()) {
                (Ok(source), Ok(target))
                    if ports && source.is_ipv4() == is_v4 && target.is_ipv4() == is_v4 =>
                {
                    Header::Complete {
                        source: Some(source),
                        length,
                    }
                }
                _ => Header::Invalid,
            }
        }
        _ => Header::Invalid,
    }
}

/// Returns whether a port is a decimal number of 16 bits without a sign and leading zeros.
fn is_port(text: &str) -> bool {
    text.parse::<u16>().is_ok_and(|port| port.to_string() == text)
}

/// Version 2, binary.
fn parse_v2(bytes: &[u8]) -> Header {
    let Some(fixed) = bytes.first_chunk::<FIXED>() else {
        return Header::Incomplete;
    };
    let rest = usize::from(u16::from_be_bytes([fixed[14], fixed[15]]));
    let length = FIXED + rest;
    let (version, command) = (fixed[12] >> 4, fixed[12] & 0xf);
    if version != 2 || command > 1 || length > MAX_LENGTH {
        return Header::Invalid;
    }
    let Some(addresses) = bytes.get(FIXED..length) else {
        return Header::Incomplete;
    };
    // LOCAL: a health check of the proxy itself.
    if command == 0 {
        return Header::Complete { source: None, length };
    }
    let source = match fixed[13] {
        0x11 if rest >= 12 => addresses
            .first_chunk::<4>()
            .map(|bytes| Ipv4Addr::from(*bytes).into()),
        0x21 if rest >= 36 => addresses
            .first_chunk::<16>()
            .map(|bytes| Ipv6Addr::from(*bytes).into()),
        // Unspecified, or a family without IP addresses.
        0x00 | 0x12 | 0x22 | 0x31 | 0x32 => None,
        _ => return Header::Invalid,
    };
    Header::Complete { source, length }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use proptest::collection::vec;
    use proptest::prelude::{Just, any, prop_oneof, proptest};
    use proptest::sample::select;
    use proptest::strategy::Strategy;

    use super::{Header, MAX_LENGTH, SIGNATURE, parse};
    use crate::proxy::fuzz;
    use colonnade_testing::cases;

    fn second(version: u8, family: u8, rest: &[u8]) -> Vec<u8> {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend([version, family]);
        bytes.extend(u16::try_from(rest.len()).expect("short").to_be_bytes());
        bytes.extend(rest);
        bytes
    }

    fn complete(source: Option<&str>, length: usize) -> Header {
        let source = source.map(|source| source.parse().expect("an address"));
        Header::Complete { source, length }
    }

    #[test]
    fn proxy_header_is_parsed_once_complete() {
        let v4 = [192, 0, 2, 1, 192, 0, 2, 2, 0, 80, 1, 187];
        let mut v6 = [0; 40];
        v6[15] = 1;
        let cases: [(Vec<u8>, Option<&str>); 7] = [
            (
                b"PROXY TCP4 192.0.2.1 192.0.2.2 80 443\r\n".to_vec(),
                Some("192.0.2.1"),
            ),
            (
                b"PROXY TCP6 2001:db8::1 ::1 80 443\r\n".to_vec(),
                Some("2001:db8::1"),
            ),
            (b"PROXY UNKNOWN\r\n".to_vec(), None),
            (b"PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n".to_vec(), None),
            (second(0x21, 0x11, &v4), Some("192.0.2.1")),
            (second(0x21, 0x21, &v6), Some("::1")),
            (second(0x20, 0x00, &[]), None),
        ];
        for (header, source) in cases {
            for end in 1..header.len() {
                assert_eq!(parse(&header[..end]), Header::Incomplete, "{end} of {header:?}");
            }
            let length = header.len();
            let followed = [&header[..], b"GET / HTTP/1.1\r\n"].concat();
            assert_eq!(parse(&header), complete(source, length));
            assert_eq!(parse(&followed), complete(source, length));
        }
    }

    #[test]
    fn proxy_header_rejects_malformed() {
        let long = [b"PROXY UNKNOWN ".as_slice(), &[b'a'; 100]].concat();
        let cases: [&[u8]; 19] = [
            b"GET / HTTP/1.1\r\n",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 80\r\n",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 80 443 1\r\n",
            b"PROXY TCP4 ::1 ::1 80 443\r\n",
            b"PROXY TCP6 192.0.2.1 ::1 80 443\r\n",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 80 65536\r\n",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 +80 443\r\n",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 80 0443\r\n",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 80 00\r\n",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 80 \r\n",
            b"PROXY TCP4  192.0.2.1 192.0.2.2 80 443\r\n",
            b"PROXY TCP5 192.0.2.1 192.0.2.2 80 443\r\n",
            b"PROXY\r\n",
            &long,
            &second(0x11, 0x11, &[0; 12]),
            &second(0x22, 0x11, &[0; 12]),
            &second(0x21, 0x11, &[0; 11]),
            &second(0x21, 0x99, &[0; 12]),
            &second(0x21, 0x11, &vec![0; MAX_LENGTH]),
        ];
        for bytes in cases {
            assert_eq!(parse(bytes), Header::Invalid, "{bytes:?}");
        }
    }

    /// Bytes that often resemble a header.
    fn headers() -> impl Strategy<Value = Vec<u8>> {
        const WORDS: &[&str] = &[
            "PROXY",
            "TCP4",
            "TCP6",
            "UNKNOWN",
            "192.0.2.1",
            "::1",
            "443",
            "+443",
            "0443",
            "65536",
            " ",
            " ",
            " ",
            "\r\n",
            "\r",
            "x",
        ];
        let line = vec(select(WORDS), 0..14).prop_map(|words| ["PROXY ", &words.concat()].concat().into());
        let command = prop_oneof![Just(0x20), Just(0x21), any::<u8>()];
        let family = prop_oneof![Just(0x11), Just(0x21), any::<u8>()];
        let second = (command, family, vec(any::<u8>(), 0..80)).prop_map(|(v, f, rest)| second(v, f, &rest));
        prop_oneof![line, second, vec(any::<u8>(), 0..40)]
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn proxy_header_is_independent_of_read_sizes(header in headers(), rest in vec(any::<u8>(), 0..200)) {
            fuzz::proxy_header(&[header, rest].concat());
        }

        #[test]
        fn proxy_header_has_source_address(v4 in any::<Ipv4Addr>(), v6 in any::<Ipv6Addr>(), port in any::<u16>()) {
            let (first_v4, first_v6) = (
                format!("PROXY TCP4 {v4} 192.0.2.2 {port} 443\r\n"),
                format!("PROXY TCP6 {v6} ::1 {port} 443\r\n"),
            );
            let second_v4 = second(0x21, 0x11, &[&v4.octets()[..], &[0; 8]].concat());
            let second_v6 = second(0x21, 0x21, &[&v6.octets()[..], &[0; 20]].concat());
            for (header, source) in [
                (first_v4.as_bytes(), v4.into()),
                (first_v6.as_bytes(), v6.into()),
                (&second_v4, v4.into()),
                (&second_v6, v6.into()),
            ] {
                assert_eq!(parse(header), Header::Complete { source: Some(source), length: header.len() });
            }
        }
    }
}
