//! Walking the rules of a stylesheet.

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, ParseError, Parser, ParserState, QualifiedRuleParser,
    RuleBodyItemParser, RuleBodyParser, SourceLocation, StyleSheetParser, Token,
};

use super::selector::{Parent, Stray, strays};
use super::{Problems, Scope, shown};

/// How deep blocks may stand in each other: deeper than anyone writes, and shallow enough for the stack. The parser has
/// a limit of its own, farther off, but what lies beyond that it drops without a word.
const MAX_DEPTH: u8 = 32;

/// Checks all rules of a stylesheet.
pub(super) fn check(scope: &Scope, input: &mut Parser<'_>, problems: &mut Problems<'_>) {
    let mut walk = Walk {
        scope,
        place: Place::default(),
        problems,
    };
    // What is no rule is an error here, and dropped by browsers.
    for _ in StyleSheetParser::new(input, &mut walk) {}
}

/// What a rule stands in.
#[derive(Debug, Default, Clone, Copy)]
struct Place {
    /// Another style rule. That one is in scope, or is told of itself.
    nested: bool,
    /// An `@scope` with a root: no selector reaches beyond it.
    rooted: bool,
    /// A layer of the section's own: names of layers are relative to it.
    layered: bool,
    /// So many blocks.
    depth: u8,
}

struct Walk<'a, 'p> {
    scope: &'a Scope,
    place: Place,
    problems: &'a mut Problems<'p>,
}

/// The prelude of an at-rule, read. Its problems count once the rule turns out to be one.
struct AtRule {
    problems: Vec<String>,
    strays: Vec<Stray>,
    body: Body,
}

/// What the block of an at-rule holds.
enum Body {
    /// More rules.
    Rules(Place),
    /// The descriptors of a font.
    Font,
    /// Nothing that could reach beyond the section.
    Plain,
}

impl AtRule {
    fn new(body: Body) -> Self {
        Self {
            problems: Vec::new(),
            strays: Vec::new(),
            body,
        }
    }

    fn refused(words: String) -> Self {
        Self {
            problems: vec![words],
            ..Self::new(Body::Plain)
        }
    }
}

impl<'i> Walk<'_, '_> {
    /// Walks the contents of a block that begins here.
    fn block(&mut self, mut place: Place, at: SourceLocation, input: &mut Parser<'i>) {
        if place.depth == MAX_DEPTH {
            let words = format!("blocks stand more than {MAX_DEPTH} deep in each other");
            self.problems.add(at, &words);
            drain(input);
            return;
        }
        place.depth += 1;
        let outside = std::mem::replace(&mut self.place, place);
        for _ in RuleBodyParser::<_, (), ()>::new(input, self) {}
        self.place = outside;
    }

    fn add_strays(&mut self, strays: Vec<Stray>) {
        for Stray { at, selector } in strays {
            self.problems.add(
                at,
                &format!(
                    "selector `{selector}` has no class that begins with `{}` outside :not() and :has()",
                    self.scope.0
                ),
            );
        }
    }

    /// An at-rule that gives names the document shares.
    fn naming(&self, rule: &str, names: Vec<String>, dashes: &str, body: Body) -> AtRule {
        let mut at_rule = AtRule::new(body);
        for name in names {
            let own = if dashes.is_empty() {
                self.scope.holds(&name)
            } else {
                self.scope.holds_dashed(&name)
            };
            if !own {
                at_rule
                    .problems
                    .push(self.foreign(&format!("@{rule} `{}`", shown(&name)), dashes));
            }
        }
        at_rule
    }

    fn foreign(&self, what: &str, dashes: &str) -> String {
        format!(
            "{what} must have a name that begins with `{dashes}{}`",
            self.scope.0
        )
    }

    fn scope_rule(&mut self, input: &mut Parser<'i>) -> AtRule {
        let mut rule = AtRule::new(Body::Rules(self.place));
        if self.place.rooted || !matches!(input.next(), Ok(Token::ParenthesisBlock)) {
            return rule;
        }
        let parent = if self.place.nested {
            Parent::Named
        } else {
            Parent::None
        };
        let root =
            input.parse_nested_block(|input| Ok::<_, ParseError<()>>(strays(self.scope, parent, input)));
        rule.strays = root.unwrap_or_default();
        rule.body = Body::Rules(Place {
            rooted: true,
            ..self.place
        });
        rule
    }

    fn layer(&self, input: &mut Parser<'i>) -> AtRule {
        let place = Place {
            layered: true,
            ..self.place
        };
        if self.place.layered {
            return AtRule::new(Body::Rules(place));
        }
        self.naming("layer", names(input), "", Body::Rules(place))
    }
}

impl<'i> AtRuleParser<'i> for Walk<'_, '_> {
    type Prelude = AtRule;
    type AtRule = ();
    type Error = ();

    fn parse_prelude(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i>,
    ) -> Result<AtRule, ParseError<()>> {
        let name = name.to_ascii_lowercase();
        let rule = match name.as_str() {
            "media" | "supports" | "container" | "starting-style" => AtRule::new(Body::Rules(self.place)),
            "scope" => self.scope_rule(input),
            "layer" => self.layer(input),
            "font-face" => AtRule::new(Body::Font),
            "charset" | "namespace" => AtRule::new(Body::Plain),
            "keyframes" | "-webkit-keyframes" | "-moz-keyframes" | "counter-style" => {
                self.naming(&name, names(input), "", Body::Plain)
            }
            "font-feature-values" => self.naming(&name, families(input), "", Body::Plain),
            "property" | "font-palette-values" | "position-try" | "color-profile" | "function" => {
                self.naming(&name, names(input), "--", Body::Plain)
            }
            "page" => {
                let names = names(input);
                if names.is_empty() || !names.iter().all(|name| self.scope.holds(name)) {
                    AtRule::refused(self.foreign("@page", ""))
                } else {
                    AtRule::new(Body::Plain)
                }
            }
            "import" => AtRule::refused(
                "@import loads what nobody checked; import the stylesheet where the section's code needs it"
                    .to_owned(),
            ),
            _ => AtRule::refused(format!("@{} is not for sections", shown(&name))),
        };
        drain(input);
        Ok(rule)
    }

    fn rule_without_block(&mut self, rule: AtRule, start: &ParserState) -> Result<(), ()> {
        for words in &rule.problems {
            self.problems.add(start.source_location(), words);
        }
        Ok(())
    }

    fn parse_block(
        &mut self,
        rule: AtRule,
        start: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<(), ParseError<()>> {
        for words in &rule.problems {
            self.problems.add(start.source_location(), words);
        }
        self.add_strays(rule.strays);
        match rule.body {
            Body::Rules(place) => self.block(place, start.source_location(), input),
            Body::Font => {
                let mut families = Families(Vec::new());
                for _ in RuleBodyParser::<_, (), ()>::new(input, &mut families) {}
                for (at, family) in families.0 {
                    if !self.scope.holds(&family) {
                        let words = self.foreign(&format!("@font-face `{}`", shown(&family)), "");
                        self.problems.add(at, &words);
                    }
                }
            }
            Body::Plain => drain(input),
        }
        Ok(())
    }
}

impl<'i> QualifiedRuleParser<'i> for Walk<'_, '_> {
    type Prelude = Vec<Stray>;
    type QualifiedRule = ();
    type Error = ();

    fn parse_prelude(&mut self, input: &mut Parser<'i>) -> Result<Vec<Stray>, ParseError<()>> {
        if self.place.rooted {
            drain(input);
            return Ok(Vec::new());
        }
        let parent = if self.place.nested {
            Parent::Implied
        } else {
            Parent::None
        };
        Ok(strays(self.scope, parent, input))
    }

    fn parse_block(
        &mut self,
        strays: Vec<Stray>,
        start: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<(), ParseError<()>> {
        self.add_strays(strays);
        let place = Place {
            nested: true,
            ..self.place
        };
        self.block(place, start.source_location(), input);
        Ok(())
    }
}

impl<'i> DeclarationParser<'i> for Walk<'_, '_> {
    type Declaration = ();
    type Error = ();

    /// A value with a block in it is no declaration but the start of a rule, such as `a:hover {…}`; a custom property
    /// may hold anything.
    fn parse_value(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i>,
        _start: &ParserState,
    ) -> Result<(), ParseError<()>> {
        while let Ok(token) = input.next() {
            if matches!(token, Token::CurlyBracketBlock) && !name.starts_with("--") {
                return Err(ParseError::unexpected_token());
            }
        }
        Ok(())
    }
}

impl RuleBodyItemParser<'_, (), ()> for Walk<'_, '_> {
    // Everywhere, as browsers do: a declaration outside of a style rule is dropped, but what follows it is not.
    fn parse_declarations(&self) -> bool {
        true
    }

    fn parse_qualified(&self) -> bool {
        true
    }
}

/// The families that the descriptors of `@font-face` name.
struct Families(Vec<(SourceLocation, String)>);

impl<'i> DeclarationParser<'i> for Families {
    type Declaration = ();
    type Error = ();

    fn parse_value(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i>,
        start: &ParserState,
    ) -> Result<(), ParseError<()>> {
        if name.eq_ignore_ascii_case("font-family") {
            self.0.push((start.source_location(), family(input)));
        }
        drain(input);
        Ok(())
    }
}

impl AtRuleParser<'_> for Families {
    type Prelude = ();
    type AtRule = ();
    type Error = ();
}

impl QualifiedRuleParser<'_> for Families {
    type Prelude = ();
    type QualifiedRule = ();
    type Error = ();
}

impl RuleBodyItemParser<'_, (), ()> for Families {
    fn parse_declarations(&self) -> bool {
        true
    }

    fn parse_qualified(&self) -> bool {
        false
    }
}

/// The first word of each item of a list.
fn names(input: &mut Parser<'_>) -> Vec<String> {
    list(input, |input| match input.next() {
        Ok(Token::Ident(name) | Token::QuotedString(name) | Token::Function(name)) => name.to_string(),
        _ => String::new(),
    })
}

fn families(input: &mut Parser<'_>) -> Vec<String> {
    list(input, family)
}

/// The items of a list; none of an empty one.
fn list(input: &mut Parser<'_>, read: impl Fn(&mut Parser<'_>) -> String) -> Vec<String> {
    if input.is_exhausted() {
        return Vec::new();
    }
    let items = input.parse_comma_separated(|input| {
        let item = read(input);
        drain(input);
        Ok::<_, ParseError<()>>(item)
    });
    items.unwrap_or_default()
}

/// A font family: one string, or words.
fn family(input: &mut Parser<'_>) -> String {
    let mut words = Vec::new();
    while let Ok(Token::Ident(word) | Token::QuotedString(word)) = input.next() {
        words.push(word.to_string());
    }
    words.join(" ")
}

fn drain(input: &mut Parser<'_>) {
    while input.next().is_ok() {}
}
