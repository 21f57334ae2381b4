//! Rules: which at-rules are allowed, and which selectors and names are checked.

use cssparser::{Delimiter, ParseError, Parser, SourceLocation, Token};

use crate::publish::style::problems::{Problems, quoted};
use crate::publish::style::selector::{contents, for_each_item};

/// The most blocks nested in each other. The parser's own limit is higher, but it ignores what
/// exceeds it.
const MAX_DEPTH: u8 = 32;

/// Checks one stylesheet.
pub(super) struct Checker<'a> {
    /// What the section's classes and names start with.
    pub(super) prefix: String,
    pub(super) problems: Problems<'a>,
}

/// Where a rule is.
#[derive(Clone, Copy, Default)]
pub(super) struct Context {
    parent: Parent,
    /// Inside an `@scope` with a root: no selector matches anything outside the root.
    in_scope: bool,
    /// Inside a `@layer`: names of inner layers are relative to it.
    in_layer: bool,
    /// The number of blocks around the rule.
    depth: u8,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Parent {
    /// The stylesheet, or a group of rules.
    #[default]
    None,
    /// A style rule, which `&` refers to. Its own selectors have been checked.
    StyleRule,
    /// `@font-face`.
    FontFace,
}

impl Checker<'_> {
    /// Checks rules and declarations up to the end of the block.
    pub(super) fn check_rules(&mut self, context: Context, input: &mut Parser<'_>) {
        // At the top there are no declarations, so `;` does not end a style rule.
        let is_top = context.depth == 0;
        loop {
            input.skip_whitespace();
            let start = input.state();
            let at_rule = match input.next() {
                Ok(Token::CDO | Token::CDC) if is_top => continue,
                Ok(Token::Semicolon) if !is_top => continue,
                Ok(Token::AtKeyword(name)) => Some(name.to_ascii_lowercase()),
                Ok(_) => None,
                Err(_) => return,
            };
            let mut end = Delimiter::CurlyBracketBlock | Delimiter::Semicolon;
            if at_rule.is_none() {
                input.reset(&start);
                if is_top {
                    end = Delimiter::CurlyBracketBlock;
                }
            }
            let at = start.source_location();
            let count = self.problems.count;
            let prelude = input.parse_until_before(end, |input| {
                let block = match &at_rule {
                    Some(name) => self.check_at_rule(name, at, context, input),
                    None if context.parent == Parent::FontFace => {
                        self.check_font_family(at, input);
                        None
                    }
                    None => Some(self.check_selectors(context, input)),
                };
                drain(input);
                Ok::<_, ParseError<()>>(block)
            });
            let block = prelude.ok().flatten();
            if let Ok(Token::CurlyBracketBlock) = input.next() {
                self.check_block(block, at, input);
            } else if at_rule.is_none() && context.parent != Parent::FontFace {
                // Without a block it is a declaration, not a selector.
                self.problems.truncate(count);
            }
        }
    }

    fn check_block(&mut self, context: Option<Context>, at: SourceLocation, input: &mut Parser<'_>) {
        // The closure never fails.
        let _ = input.parse_nested_block(|input| {
            match context {
                Some(context) if context.depth == MAX_DEPTH => {
                    let problem = format!("blocks are nested more than {MAX_DEPTH} deep");
                    self.problems.add(at, &problem);
                }
                Some(context) => {
                    let depth = context.depth + 1;
                    self.check_rules(Context { depth, ..context }, input);
                }
                None => {}
            }
            drain(input);
            Ok::<_, ParseError<()>>(())
        });
    }

    /// Checks a list of selectors. Returns the context of the rule's block.
    fn check_selectors(&mut self, context: Context, input: &mut Parser<'_>) -> Context {
        if !context.in_scope {
            let is_nested = context.parent == Parent::StyleRule;
            self.check_selector_list(is_nested, is_nested, input);
        }
        let parent = Parent::StyleRule;
        Context { parent, ..context }
    }

    /// `is_nested`: `&` refers to a checked rule. `is_relative`: selectors without `&` are relative
    /// to that rule.
    fn check_selector_list(&mut self, is_nested: bool, is_relative: bool, input: &mut Parser<'_>) {
        for_each_item(input, |input| {
            input.skip_whitespace();
            let (at, start) = (input.current_source_location(), input.position());
            let found = contents(&self.prefix, is_nested, 0, input);
            if !found.is_limited && (found.has_parent || !is_relative) {
                let problem = format!(
                    "selector {} has no class that starts with `{}` outside :not() and :has()",
                    quoted(input.slice_from(start)),
                    self.prefix
                );
                self.problems.add(at, &problem);
            }
        });
    }

    /// Checks the name and prelude of an at-rule. Returns the context of its block, or `None` to
    /// skip the block.
    fn check_at_rule(
        &mut self,
        name: &str,
        at: SourceLocation,
        context: Context,
        input: &mut Parser<'_>,
    ) -> Option<Context> {
        match name {
            "media" | "supports" | "container" | "starting-style" => return Some(context),
            "scope" => return Some(self.check_scope(context, input)),
            "layer" => {
                if !context.in_layer {
                    self.check_names(name, "", at, input);
                }
                let in_layer = true;
                return Some(Context { in_layer, ..context });
            }
            "font-face" => {
                let parent = Parent::FontFace;
                return Some(Context { parent, ..context });
            }
            "charset" | "namespace" => {}
            "keyframes"
            | "-webkit-keyframes"
            | "-moz-keyframes"
            | "counter-style"
            | "font-feature-values"
            | "page" => {
                self.check_names(name, "", at, input);
            }
            "property" | "font-palette-values" | "position-try" | "color-profile" | "function" => {
                self.check_names(name, "--", at, input);
            }
            "import" => self.problems.add(
                at,
                "@import is not allowed; import the stylesheet in the section's code instead",
            ),
            _ => {
                let problem = format!("@{name} is not allowed in a section's stylesheet");
                self.problems.add(at, &problem);
            }
        }
        None
    }

    fn check_scope(&mut self, context: Context, input: &mut Parser<'_>) -> Context {
        // Without a root, the scope is the whole document, even inside a style rule.
        let mut in_scope = false;
        if let Ok(Token::ParenthesisBlock) = input.next() {
            in_scope = true;
            if !context.in_scope {
                let is_nested = context.parent == Parent::StyleRule;
                let _ = input.parse_nested_block(|input| {
                    self.check_selector_list(is_nested, false, input);
                    Ok::<_, ParseError<()>>(())
                });
            }
        }
        let parent = Parent::None;
        Context {
            parent,
            in_scope,
            ..context
        }
    }

    /// Checks a list of names in the prelude of an at-rule.
    fn check_names(&mut self, rule: &str, dashes: &str, at: SourceLocation, input: &mut Parser<'_>) {
        // A `@page` without a name styles every page.
        if rule != "page" && input.is_exhausted() {
            return;
        }
        for_each_item(input, |input| {
            self.check_name(rule, dashes, at, input);
            drain(input);
        });
    }

    /// Checks a declaration of `@font-face`, if it is `font-family`.
    fn check_font_family(&mut self, at: SourceLocation, input: &mut Parser<'_>) {
        let is_family = input.expect_ident_matching("font-family").is_ok();
        if is_family && input.expect_colon().is_ok() {
            self.check_name("font-face", "", at, input);
        }
    }

    /// Checks that the next word starts with the prefix.
    fn check_name(&mut self, rule: &str, dashes: &str, at: SourceLocation, input: &mut Parser<'_>) {
        let name = match input.next() {
            Ok(Token::Ident(name) | Token::QuotedString(name)) => &**name,
            Ok(Token::Function(name)) if rule == "function" => &**name,
            _ => "",
        };
        let has_prefix = |name: &str| name.starts_with(&self.prefix);
        if name.strip_prefix(dashes).is_some_and(has_prefix) {
            return;
        }
        let subject = if name.is_empty() {
            format!("@{rule}")
        } else {
            format!("@{rule} {}", quoted(name))
        };
        let problem = format!(
            "{subject} must have a name that starts with `{dashes}{}`",
            self.prefix
        );
        self.problems.add(at, &problem);
    }
}

fn drain(input: &mut Parser<'_>) {
    while input.next().is_ok() {}
}
