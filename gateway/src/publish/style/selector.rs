//! Whether a selector keeps to the section.

use cssparser::{ParseError, Parser, SourceLocation, Token};

use super::{Scope, shown};

/// How deep parentheses in a selector are looked into. Deeper ones count for nothing.
const MAX_DEPTH: u8 = 8;

/// What stands around a selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parent {
    /// No rule.
    None,
    /// A rule in scope, which `&` names.
    Named,
    /// A rule in scope, which a selector without `&` is understood to begin with.
    Implied,
}

/// A selector of a list that reaches beyond the section.
#[derive(Debug)]
pub(super) struct Stray {
    /// Where it begins.
    pub(super) at: SourceLocation,
    /// The selector as it stands there.
    pub(super) selector: String,
}

/// What a complex selector was found to contain.
#[derive(Default, Clone, Copy)]
struct Found {
    /// A class of the scope, or the parent.
    own: bool,
    /// `&`, anywhere.
    parent: bool,
}

/// Reads a list of selectors to its end, and returns those that reach beyond the section.
pub(super) fn strays(scope: &Scope, parent: Parent, input: &mut Parser<'_>) -> Vec<Stray> {
    let mut strays = Vec::new();
    list(input, |input| {
        input.skip_whitespace();
        let (at, start) = (input.current_source_location(), input.position());
        let found = complex(scope, parent, 0, input);
        let implied = parent == Parent::Implied && !found.parent;
        if !found.own && !implied {
            let selector = shown(input.slice_from(start));
            strays.push(Stray { at, selector });
        }
    });
    strays
}

fn complex(scope: &Scope, parent: Parent, depth: u8, input: &mut Parser<'_>) -> Found {
    let mut found = Found::default();
    while let Ok(token) = input.next_including_whitespace() {
        match token {
            Token::Delim('.') => {
                if let Ok(Token::Ident(class)) = input.next_including_whitespace() {
                    found.own |= scope.holds(class);
                }
            }
            Token::Delim('&') => {
                found.parent = true;
                found.own |= parent != Parent::None;
            }
            Token::Colon => {
                let Ok(Token::Function(name)) = input.next_including_whitespace() else {
                    continue;
                };
                let choices = ["is", "where", "any", "-webkit-any", "-moz-any"];
                let is_choice = choices.iter().any(|choice| name.eq_ignore_ascii_case(choice));
                let inner = parentheses(scope, parent, depth, input);
                found.parent |= inner.parent;
                found.own |= is_choice && inner.own;
            }
            // No selector has one: what stands before it is none of what stands behind it.
            Token::Semicolon => found = Found::default(),
            _ => {}
        }
    }
    found
}

/// What every selector in a function's parentheses contains, and whether any has `&`.
fn parentheses(scope: &Scope, parent: Parent, depth: u8, input: &mut Parser<'_>) -> Found {
    if depth == MAX_DEPTH {
        return Found {
            own: false,
            parent: true,
        };
    }
    let mut all = Found {
        own: true,
        parent: false,
    };
    let read = input.parse_nested_block(|input| {
        list(input, |input| {
            let found = complex(scope, parent, depth + 1, input);
            all.own &= found.own;
            all.parent |= found.parent;
        });
        Ok::<_, ParseError<()>>(())
    });
    all.own &= read.is_ok();
    all
}

/// Reads each item of a list that commas divide.
fn list<'i>(input: &mut Parser<'i>, mut read: impl FnMut(&mut Parser<'i>)) {
    // Nothing fails here: every item is read to its end.
    let _ = input.parse_comma_separated(|input| {
        read(input);
        Ok::<_, ParseError<()>>(())
    });
}
