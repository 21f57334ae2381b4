//! Selectors: whether one only matches elements with, or below, a class of the section.

use cssparser::{ParseError, Parser, Token};

/// The most nested parentheses that are read. Deeper classes do not count.
const MAX_DEPTH: u8 = 8;

/// Pseudo-classes that match one of the selectors in their parentheses.
const ALTERNATIVES: [&str; 5] = ["is", "where", "any", "-webkit-any", "-moz-any"];

/// What a selector contains.
#[derive(Clone, Copy, Default)]
pub(super) struct Contents {
    /// A class of the section, or `&` for a checked rule, which limits what the selector matches.
    pub(super) is_limited: bool,
    /// `&`, anywhere.
    pub(super) has_parent: bool,
}

/// Reads a complex selector to its end. `is_nested`: `&` refers to a checked rule.
pub(super) fn contents(prefix: &str, is_nested: bool, depth: u8, input: &mut Parser<'_>) -> Contents {
    let mut found = Contents::default();
    let (mut colons, mut is_malformed) = (0, false);
    while let Ok(token) = input.next_including_whitespace() {
        let before = std::mem::take(&mut colons);
        match token {
            Token::Semicolon => is_malformed = true,
            Token::Delim('.' | '&') if before > 0 => is_malformed = true,
            Token::Delim('.') => match input.next_including_whitespace() {
                Ok(Token::Ident(class)) => found.is_limited |= class.starts_with(prefix),
                _ => is_malformed = true,
            },
            Token::Delim('&') => {
                found.has_parent = true;
                found.is_limited |= is_nested;
            }
            Token::Colon => colons = before + 1,
            Token::Function(name) => {
                // `::is()` would be a pseudo-element.
                let is_alternative =
                    before == 1 && ALTERNATIVES.iter().any(|known| name.eq_ignore_ascii_case(known));
                let branches = branches(prefix, is_nested, depth, input);
                found.has_parent |= branches.has_parent;
                found.is_limited |= is_alternative && branches.is_limited;
            }
            _ => {}
        }
    }
    found.is_limited &= !is_malformed;
    found
}

/// Reads the selectors in a function's parentheses: whether all are limited, and whether any has
/// `&`.
fn branches(prefix: &str, is_nested: bool, depth: u8, input: &mut Parser<'_>) -> Contents {
    if depth == MAX_DEPTH {
        return Contents {
            is_limited: false,
            has_parent: true,
        };
    }
    let mut all = Contents {
        is_limited: true,
        has_parent: false,
    };
    let read = input.parse_nested_block(|input| {
        for_each_item(input, |input| {
            let branch = contents(prefix, is_nested, depth + 1, input);
            all.is_limited &= branch.is_limited;
            all.has_parent |= branch.has_parent;
        });
        Ok::<_, ParseError<()>>(())
    });
    all.is_limited &= read.is_ok();
    all
}

/// Calls `read` for each item of a comma-separated list. It must read its item to the end.
pub(super) fn for_each_item<'i>(input: &mut Parser<'i>, mut read: impl FnMut(&mut Parser<'i>)) {
    // The closure never fails.
    let _ = input.parse_comma_separated(|input| {
        read(input);
        Ok::<_, ParseError<()>>(())
    });
}
