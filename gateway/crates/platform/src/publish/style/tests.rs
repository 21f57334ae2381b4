use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::check;

/// The parts of random stylesheets.
const PARTS: &[&str] = &[
    ".legal_a",
    ".other",
    "p",
    "&",
    " ",
    ",",
    ":is(",
    ":not(",
    ":has(",
    "::before",
    ")",
    "[a=",
    "]",
    "{",
    "}",
    ";",
    ":",
    "@",
    "@media ",
    "@scope (",
    "@layer ",
    "@font-face",
    "@import ",
    "--x:",
    "color:red",
    "/*",
    "*/",
    "\"",
    "'",
    "\\",
    "url(",
    "<!--",
    "-->",
    "!",
    "\n",
];

/// The problems of a stylesheet of the section `legal`, without the file's name.
fn problems(css: &str) -> Vec<String> {
    let problems = check("legal", "client/a.css", css.as_bytes());
    let strip = |problem: String| problem.strip_prefix("client/a.css:").map(str::to_owned);
    problems
        .into_iter()
        .map(|problem| strip(problem).unwrap())
        .collect()
}

/// The selectors that are rejected; every problem must be about a selector.
fn rejected_selectors(css: &str) -> Vec<String> {
    let selector = |problem: &String| problem.split('`').nth(1).unwrap().to_owned();
    let problems = problems(css);
    assert!(
        problems.iter().all(|problem| problem.contains("selector `")),
        "{problems:?}"
    );
    problems.iter().map(selector).collect()
}

#[test]
fn selector_with_section_class_passes() {
    let selectors = [
        ".legal_a_x1",
        "main .legal_a_x1 > p::before",
        ".legal_a_x1 ~ *",
        "a.button.legal_a_x1:hover",
        ".legal_a_x1 [href^=\"tel:\"], .legal_b_x2:not(.other)",
        ":is(.legal_a_x1, .legal_b_x2) p",
        ":where(main :is(.legal_a_x1)) p",
        ":-webkit-any(.legal_a_x1) p",
        ".legal_a_x1:has(img)",
        ".legal_a_x1:nth-child(2n+1 of .other)",
        "svg|a.legal_a_x1",
        ".\\6c egal_a_x1",
        ".legal_a_x1/* p, */ , /* */ .legal_b_x2",
        ".legal_\u{1f600}",
    ];
    for selector in selectors {
        assert_eq!(
            rejected_selectors(&format!("{selector}{{color:red}}")),
            [""; 0],
            "{selector}"
        );
    }
}

#[test]
fn selector_without_section_class_is_rejected() {
    let selectors = [
        "p",
        "*",
        ":root",
        "#legal_a_x1",
        "legal_a_x1",
        ".other",
        ".legal",
        ".legal-a",
        ".Legal_a",
        ".directory_legal_a",
        "[class*=legal_]",
        "[class=\".legal_a\"]",
        ":not(.legal_a_x1)",
        ":root:has(.legal_a_x1[open])",
        "p:not(:is(.legal_a_x1))",
        ":is(.legal_a_x1, p)",
        ":where(p, .legal_a_x1)",
        ":is()",
        ":nth-child(1 of .legal_a_x1)",
        "::slotted(.legal_a_x1)",
        "&",
        "& p",
        ":scope",
        "legal_a_x1|p",
        ":.legal_a_x1",
        "::is(.legal_a_x1)",
        ":is(.legal_a_x1; p)",
    ];
    for selector in selectors {
        assert_eq!(
            rejected_selectors(&format!("{selector}{{color:red}}")),
            [selector],
            "{selector}"
        );
        // Valid selectors around it pass.
        let list = format!(".legal_a_x1, {selector} , .legal_b_x2{{}} .legal_c_x3{{}}");
        assert_eq!(rejected_selectors(&list), [selector], "{list}");
        assert_eq!(
            rejected_selectors(&format!("@media print{{{selector}{{}}}}")),
            [selector],
            "{selector}"
        );
    }
}

#[test]
fn problem_contains_position_selector_and_expectation() {
    let css = ".legal_a {\n  color: red;\n}\n.legal_b, \n  body   p { }\n";
    assert_eq!(
        check("legal", "client/x.css", css.as_bytes()),
        [
            "client/x.css:5:3: selector `body p` has no class that starts with `legal_` outside :not() and :has()"
        ]
    );
    assert!(problems(&format!("{}{{}}", "p ".repeat(500)))[0].len() < 250);
}

#[test]
fn nested_rule_is_limited_by_parent() {
    let valid = [
        ".legal_a { color: red; p { color: red } > p {} + p, * {} &:hover {} p & {} a:hover { b:hover {} } }",
        ".legal_a { @media print { color: red; p {} @supports (color: red) { & p {} } } }",
        ".legal_a { p { &:is(:hover, :focus) {} } --x: { p: q }; }",
        ".legal_a { :is(&, .legal_b) p {} .legal_b:not(&) {} }",
    ];
    for css in valid {
        assert_eq!(rejected_selectors(css), [""; 0], "{css}");
    }
    let cases = [
        (".legal_a { :not(&) {} }", ":not(&)"),
        (".legal_a { body:has(&) { p {} } }", "body:has(&)"),
        (".legal_a { :is(&, p) {} }", ":is(&, p)"),
        (".legal_a { color: red; @media print { :not(&) {} } }", ":not(&)"),
        (".legal_a { a:not(&) {} }", "a:not(&)"),
        (".legal_a { video::cue(&) {} }", "video::cue(&)"),
        // Only the outer selector is reported.
        ("body { p { & b {} } .legal_a {} }", "body"),
    ];
    for (css, selector) in cases {
        assert_eq!(rejected_selectors(css), [selector], "{css}");
    }
}

#[test]
fn grouping_at_rules_are_checked_inside() {
    let rules = [
        "@media (width > 40em)",
        "@MEDIA print",
        "@supports (display: grid)",
        "@supports selector(.legal_a)",
        "@container (width > 40em)",
        "@container name style(--x: 1)",
        "@starting-style",
        "@layer",
        "@layer legal_a",
    ];
    for rule in rules {
        assert_eq!(
            rejected_selectors(&format!("{rule} {{ .legal_a {{}} p {{}} }}")),
            ["p"],
            "{rule}"
        );
        assert_eq!(
            rejected_selectors(&format!("@media print {{ {rule} {{ p {{}} }} }} b {{}}")),
            ["p", "b"]
        );
    }
}

#[test]
fn ambiguous_syntax_does_not_hide_rule() {
    let cases = [
        "@media print { .legal_a; p {} }",
        "@media print { legal: .legal_a; p {} }",
        ".legal_a; p {}",
        ".legal_a { } } p {}",
        "<!-- p {} -->",
        ".legal_a { color: red } ;p {}",
        "@media print { a: b; } p {}",
        ".legal_a { --x: { } p {} } p {}",
    ];
    for css in cases {
        let rejected = rejected_selectors(css);
        assert!(
            rejected.len() == 1 && rejected[0].ends_with('p'),
            "{css}: {rejected:?}"
        );
    }
}

#[test]
fn dropped_syntax_passes() {
    for css in [
        "",
        "p",
        "p;",
        ".legal_a { *zoom: 1; color: red; p; }",
        "@media print;",
        "/* p {} */",
        ".legal_a {",
        "@",
    ] {
        assert_eq!(problems(css), [""; 0], "{css}");
    }
}

#[test]
fn scope_with_section_root_limits_rules() {
    let valid = [
        "@scope (.legal_a) { p { b {} } :scope {} :not(:scope) {} }",
        "@scope (.legal_a) to (p) { p {} }",
        "@scope (.legal_a) { @scope (p) { b {} } }",
        ".legal_a { @scope (& > p) { b {} } }",
    ];
    for css in valid {
        assert_eq!(rejected_selectors(css), [""; 0], "{css}");
    }
    let cases = [
        ("@scope (p) { b {} }", "p"),
        ("@scope (.legal_a, p) to (.legal_b) { b {} }", "p"),
        ("@scope { b {} }", "b"),
        ("@scope to (.legal_a) { b {} }", "b"),
        (".legal_a { @scope (p) { b {} } }", "p"),
        ("@scope (.legal_a) {} b {}", "b"),
        // Without a root, the scope is the document.
        (".legal_a { @scope { b {} } }", "b"),
        (".legal_a { @scope to (p) { b {} } }", "b"),
        ("@scope (.legal_a) { @scope { b {} } }", "b"),
    ];
    for (css, selector) in cases {
        assert_eq!(rejected_selectors(css), [selector], "{css}");
    }
}

#[test]
fn document_wide_name_requires_prefix() {
    let valid = [
        "@keyframes legal_fade_x1 { from { color: red } 50% {} to {} }",
        "@-webkit-keyframes legal_fade_x1 {}",
        "@keyframes \"legal_fade_x1\" {}",
        "@counter-style legal_dots { system: cyclic; symbols: '*'; }",
        "@font-face { font-family: legal_Serif; src: url(x.woff2) }",
        "@font-face { src: url(x.woff2); font-family: \"legal_Serif Text\" }",
        "@font-feature-values legal_Serif, 'legal_Sans' { @styleset { nice: 1 } }",
        "@font-palette-values --legal_x { font-family: legal_Serif }",
        "@property --legal_x { syntax: '*'; inherits: false }",
        "@position-try --legal_x { inset: 0 }",
        "@function --legal_x(--y) { result: 1 }",
        "@layer legal_a, legal_b.c;",
        "@layer legal_a { @layer base, extra; @layer base { .legal_a {} } }",
        "@layer { @layer base; }",
        "@page legal_print { margin: 0; @top-left { content: 'x' } }",
        "@charset \"utf-8\"; @namespace svg url(http://www.w3.org/2000/svg); .legal_a {}",
    ];
    for css in valid {
        assert_eq!(problems(css), [""; 0], "{css}");
    }
    let cases = [
        (
            "@keyframes fade {}",
            "1:1: @keyframes `fade` must have a name that starts with `legal_`",
        ),
        ("@KEYFRAMES fade {}", "@keyframes `fade`"),
        ("@-webkit-keyframes fade {}", "@-webkit-keyframes `fade`"),
        ("@keyframes 'fade' {}", "@keyframes `fade`"),
        (".legal_a { @keyframes fade {} }", "1:12: @keyframes `fade`"),
        ("@counter-style dots {}", "@counter-style `dots`"),
        ("@font-face {\n font-family: Serif }", "2:2: @font-face `Serif`"),
        ("@font-face { font-family: 'A B' }", "@font-face `A B`"),
        (
            "@font-face { FONT-FAMILY: legal_a; font-family: b }",
            "@font-face `b`",
        ),
        ("@font-face { src: {} font-family: b }", "@font-face `b`"),
        ("@font-feature-values legal_a, b {}", "@font-feature-values `b`"),
        (
            "@property --x {}",
            "@property `--x` must have a name that starts with `--legal_`",
        ),
        ("@property legal_x {}", "@property `legal_x`"),
        ("@font-palette-values --x {}", "@font-palette-values `--x`"),
        ("@position-try --x {}", "@position-try `--x`"),
        ("@function --x() {}", "@function `--x`"),
        ("@layer base;", "@layer `base`"),
        ("@layer legal_a, base;", "@layer `base`"),
        ("@layer base.legal_a { .legal_a {} }", "@layer `base`"),
        ("@page { margin: 0 }", "@page must have a name"),
        ("@page :first { margin: 0 }", "@page must have a name"),
        ("@page legal_a, :first { margin: 0 }", "@page must have a name"),
        ("@import 'x.css';", "@import is not allowed"),
        ("@import url(x.css) layer(legal_a);", "@import is not allowed"),
        (".legal_a {} @import 'x.css';", "@import is not allowed"),
        (
            "@view-transition { navigation: auto }",
            "@view-transition is not allowed",
        ),
        ("@unknown { p {} }", "@unknown is not allowed"),
    ];
    for (css, words) in cases {
        let problems = problems(css);
        assert!(
            problems.len() == 1 && problems[0].contains(words),
            "{css}: {problems:?}"
        );
    }
}

#[test]
fn problems_beyond_twenty_are_counted() {
    let problems = problems(&"p {} ".repeat(50));
    assert_eq!(problems.len(), 21);
    assert_eq!(problems[20], " and 30 more problems");
}

#[test]
fn deep_nesting_is_rejected() {
    let deep = |depth: usize| format!(".legal_a {{ {}{} }}", "p {".repeat(depth), "}".repeat(depth));
    assert_eq!(problems(&deep(31)), [""; 0]);
    for depth in [32, 100, 50_000] {
        let problems = problems(&deep(depth));
        assert!(
            problems.len() == 1 && problems[0].contains("more than 32 deep"),
            "{depth}: {problems:?}"
        );
    }
    let hidden = format!("{}p {{}}", "@media print { ".repeat(200));
    assert!(problems(&hidden)[0].contains("more than 32 deep"));
    for depth in [100, 50_000] {
        let selector = format!("{}.legal_a{}", ":is(".repeat(depth), ")".repeat(depth));
        assert_eq!(
            rejected_selectors(&format!("{selector} {{}} .legal_b {{}}")).len(),
            1
        );
        assert_eq!(
            rejected_selectors(&format!(".legal_a {{ {selector} {{}} }}")).len(),
            1
        );
    }
    let brackets = format!(".legal_a {{ color: {} }}", "([{".repeat(50_000));
    assert_eq!(problems(&brackets), [""; 0]);
}

#[test]
fn invalid_utf8_is_rejected() {
    assert_eq!(
        check("legal", "client/a.css", b".legal_a{}\xff"),
        ["client/a.css: the stylesheet is not valid UTF-8"]
    );
    assert_eq!(problems("\u{feff}.legal_a{} p{}")[0].split(':').next(), Some("1"));
}

proptest! {
    #[test]
    fn check_accepts_any_input(parts in vec(select(PARTS), 0..60), noise in any::<String>()) {
        prop_assert!(problems(&parts.concat()).len() <= 21);
        prop_assert!(problems(&noise).len() <= 21);
    }
}
