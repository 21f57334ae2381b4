//! The HTML of an extension is complete: its elements change nothing of the document around it.

use html5gum::{StartTag, State, Token, Tokenizer};

/// Elements without an end tag.
const VOID: &str = "area br col embed hr img input link param source track wbr";

/// Elements that change the document, or how the rest of it is parsed.
const FORBIDDEN: &str = "base body frame frameset head html meta noembed noframes plaintext script title xmp";

/// Elements whose content is text. With scripting, this includes `noscript`.
const TEXT: &str = "iframe noscript style textarea";

/// Elements whose start tag ends an `<svg>` or `<math>` around it.
const NOT_FOREIGN: &str = "b big blockquote br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 hr i \
     img li listing menu nobr ol p pre ruby s small span strike strong sub sup table tt u ul var";

/// Elements whose start tag ends one around them: the elements, those that they end, and those that keep them from it, of which
/// the nearest decides. `#page` is what is around the extension, `*` is each element.
const ENDS: [(&str, &str, &str); 11] = [
    ("button", "button", ""),
    ("iframe input keygen noscript select style textarea", "select", ""),
    ("h1 h2 h3 h4 h5 h6", "h1 h2 h3 h4 h5 h6", ""),
    ("table", "table", "caption td th"),
    ("li", "li #page", "menu ol ul"),
    ("dd dt", "dd dt #page", "dl"),
    ("caption colgroup tbody tfoot thead", "*", "table"),
    ("col", "*", "colgroup"),
    ("tr", "*", "table tbody tfoot thead"),
    ("td th", "*", "tr"),
    ("rb rp rt rtc", "*", "rtc ruby"),
];

/// The most elements within each other. Browsers do not nest deeper.
const MAX_DEPTH: usize = 512;

/// The end tag after the HTML, which has no such element.
const END: &str = "end-of-extension";

fn has(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|element| element == name)
}

/// Checks that each element is closed in order, and that a document may have it in its content.
///
/// # Errors
/// The element that breaks a rule, and what is expected.
pub(super) fn check(html: &str) -> Result<(), String> {
    check_within(Vec::new(), html)
}

/// Checks the HTML in these elements, from the outermost.
fn check_within(mut open: Vec<String>, html: &str) -> Result<(), String> {
    let around = open.len();
    // A comment or a tag that is not closed has the last end tag in it.
    let html = format!("{html}</{END}>");
    let mut tokens = Tokenizer::new(&html);
    let mut text = Vec::new();
    let unclosed = |name: &String| format!("has `<{name}>`; expected `</{name}>` after it");
    while let Some(Ok(token)) = tokens.next() {
        let has_open = open.len() > around;
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                let is_foreign = is_foreign(&open);
                check_start(&tag, &name, &open, is_foreign)?;
                tokens.set_state(match &*name {
                    "textarea" => State::RcData,
                    "iframe" | "noscript" | "style" => State::RawText,
                    _ => State::Data,
                });
                text.clear();
                let has_end = if is_foreign {
                    !tag.self_closing
                } else {
                    !has(VOID, &name)
                };
                open.extend(has_end.then_some(name));
            }
            Token::String(part) => text.extend_from_slice(&part),
            Token::EndTag(tag) => match (String::from_utf8_lossy(&tag.name), open.pop_if(|_| has_open)) {
                (name, Some(last)) if name == last && name != END => check_text(&name, &open, &text)?,
                (name, None) if name == END && tokens.next().is_none() => return Ok(()),
                (name, Some(last)) if name == END => return Err(unclosed(&last)),
                (name, Some(last)) => return Err(format!("has `</{name}>`; expected `</{last}>` before it")),
                (name, None) => return Err(format!("has `</{name}>`; expected `<{name}>` before it")),
            },
            Token::Error(error) if *error == html5gum::Error::CdataInHtmlContent => {
                return Err("has `<![CDATA[`; expected escaped text".to_owned());
            }
            _ => {}
        }
    }
    let unclosed = open[around..].last().map(unclosed);
    Err(unclosed.unwrap_or_else(|| "ends in a comment or a tag; expected its end".to_owned()))
}

/// Checks the text of an element. Without scripting, that of `noscript` is HTML.
fn check_text(name: &str, open: &[String], text: &[u8]) -> Result<(), String> {
    if name != "noscript" {
        return Ok(());
    }
    let checked = check_within(open.to_vec(), &String::from_utf8_lossy(text));
    checked.map_err(|problem| format!("has in `<noscript>` what {problem}"))
}

fn check_start(tag: &StartTag<()>, name: &str, open: &[String], is_foreign: bool) -> Result<(), String> {
    let has_value = |name: &str, value: &str| {
        let found = tag.attributes.get(name.as_bytes());
        found.is_some_and(|found| found.as_slice() == value.as_bytes())
    };
    // React writes it for images.
    let is_preload = || has_value("rel", "preload") && has_value("as", "image");
    let is_forbidden = has(FORBIDDEN, name) && !(is_foreign && name == "title");
    let expected = if is_forbidden {
        "only elements of its own content"
    } else if name == "link" && !is_preload() {
        "no link but `<link rel=\"preload\" as=\"image\">`"
    } else if is_foreign && (has(NOT_FOREIGN, name) || has(TEXT, name)) {
        "no such element in `<svg>` or `<math>`"
    } else if open.len() == MAX_DEPTH {
        return Err(format!(
            "has `<{name}>` within {MAX_DEPTH} elements; expected at most {}",
            MAX_DEPTH - 1
        ));
    } else {
        return check_end(name, open);
    };
    Err(format!("has `<{name}>`; expected {expected}"))
}

/// Checks that the start tag of an element does not end one around it.
fn check_end(name: &str, open: &[String]) -> Result<(), String> {
    let Some((_, ended, keepers)) = ENDS.iter().find(|(names, ..)| has(names, name)) else {
        return Ok(());
    };
    let mut around = open.iter().rev().map(String::as_str).chain(["#page"]);
    let nearest = around.find(|each| has(keepers, each) || *ended == "*" || has(ended, each));
    let Some(nearest) = nearest.filter(|each| !has(keepers, each)) else {
        return Ok(());
    };
    let place = if nearest == "#page" {
        String::new()
    } else {
        format!(" in `<{nearest}>`")
    };
    let expected = match (*ended, *keepers) {
        (_, "") => "outside".to_owned(),
        ("*", keepers) => format!("directly in one of: {keepers}"),
        (_, keepers) => format!("within one of: {keepers}"),
    };
    Err(format!("has `<{name}>`{place}; expected it {expected}"))
}

/// Whether the next element is in an `<svg>` or `<math>`, and not in HTML within it.
fn is_foreign(open: &[String]) -> bool {
    let foreign = ["svg", "math"].as_slice();
    let html = ["foreignobject", "desc", "title"].as_slice();
    let mut ends = open
        .iter()
        .rev()
        .map(|name| (&**name, foreign.contains(&&**name)));
    ends.find(|(name, is_foreign)| *is_foreign || html.contains(name))
        .is_some_and(|(_, is_foreign)| is_foreign)
}

#[cfg(test)]
mod tests {
    use super::{MAX_DEPTH, check};

    #[test]
    fn html_that_changes_its_document_fails() {
        let table = include_str!("../../../../tests/tables/extension-html.json");
        let cases: Vec<(String, Option<String>)> = serde_json::from_str(table).unwrap();
        for (html, message) in cases {
            assert_eq!(check(&html).err(), message, "{html}");
        }
    }

    #[test]
    fn html_deeper_than_limit_fails() {
        let nested = |depth: usize| "<i>".repeat(depth) + &"</i>".repeat(depth);
        assert_eq!(check(&nested(MAX_DEPTH)), Ok(()));
        let message = "has `<i>` within 512 elements; expected at most 511";
        assert_eq!(check(&nested(MAX_DEPTH + 1)), Err(message.to_owned()));
    }
}
