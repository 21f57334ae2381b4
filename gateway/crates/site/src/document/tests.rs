//! Tests of the HTML of documents.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use colonnade_model::language::Language;
use colonnade_model::release::Meta;
use colonnade_render::PageContent;
use colonnade_store::loaded::{
    Asset, AssetKind, InlineStyle, PageManifest, SectionEntry, SharedPackage, ShellFrame,
};
use colonnade_web::html::escape;

use super::boot::{Boot, ErrorReportSettings, Form};
use super::html::DocumentTemplate;
use crate::resolved_page::ResolvedPage;

fn asset(name: &str, kind: AssetKind) -> Asset {
    Asset {
        href: format!("/assets/x/1.0.0/{name}"),
        name: name.to_owned(),
        integrity: format!("sha384-{name}"),
        kind,
    }
}

fn frame() -> ShellFrame {
    ShellFrame {
        entry: asset("main.js", AssetKind::Script),
        styles: vec![asset("frame.css", AssetKind::Style)],
        assets: vec![
            asset("runtime.js", AssetKind::Script),
            asset("react.js", AssetKind::Script),
        ],
        icon: Some((
            "/assets/shell/1.0.0/icon.svg".to_owned(),
            "image/svg+xml".to_owned(),
        )),
        icons: Vec::new(),
        social_image: None,
        theme_color: None,
        meta: vec![Meta {
            name: "rating".to_owned(),
            content: "\"general\"".to_owned(),
        }],
        points: Vec::new(),
        shared: BTreeMap::from([(
            "charts".to_owned(),
            SharedPackage {
                assets: vec![asset("charts.js", AssetKind::Script)],
                bytes: 500,
            },
        )]),
    }
}

fn page() -> PageManifest {
    PageManifest {
        section: Arc::new(SectionEntry {
            name: "directory".to_owned(),
            version: "1.0.0".to_owned(),
            container: "directory_1".to_owned(),
            entry: "/assets/x/1.0.0/entry.js".to_owned(),
            integrity: "sha384-entry.js".to_owned(),
            needs_federation_runtime: false,
            assets: vec![asset("common.js", AssetKind::Script)],
        }),
        pattern: "/".to_owned(),
        search: Vec::new(),
        assets: vec![
            asset("page.js", AssetKind::Script),
            asset("common.js", AssetKind::Script),
            asset("page.css", AssetKind::Style),
        ],
        bytes: 4_000,
        shared: vec!["charts".to_owned(), "react".to_owned()],
        points: Vec::new(),
    }
}

fn document(page: Option<&PageManifest>, site: Value, form: Option<&Form>) -> String {
    with_content(page, site, form, None, &[])
}

fn with_content(
    page: Option<&PageManifest>,
    site: Value,
    form: Option<&Form>,
    content: Option<&PageContent>,
    styles: &[Arc<InlineStyle>],
) -> String {
    let boot = Boot {
        deployment: "7",
        site,
        configs: BTreeMap::new(),
        page: page.map(|page| ResolvedPage::with_extensions(&frame(), page, BTreeMap::new())),
        extensions: BTreeMap::new(),
        social_image: None,
        policy: Vec::new(),
        reports: &ErrorReportSettings { sample_percent: 100 },
        view: None,
        form,
    };
    let template = DocumentTemplate {
        brand: "A <b> & \"c\"",
        origin: "https://site.example",
        language: &Language::default(),
        frame: &frame(),
        boot: &boot,
        content,
        body: content.map_or("", |content| &content.html),
        styles,
        is_preview: false,
        is_indexable: page.is_some(),
    };
    template.html()
}

fn boot(document: &str) -> Value {
    let start = document.find("id=\"boot\">").unwrap() + "id=\"boot\">".len();
    let end = start + document[start..].find("</script>").unwrap();
    serde_json::from_str(&document[start..end]).unwrap()
}

#[test]
fn document_links_each_file_once_in_order() {
    let document = document(Some(&page()), json!({}), None);
    let order = [
        "runtime.js",
        "react.js",
        "main.js",
        "frame.css",
        "entry.js",
        "common.js",
        "page.js",
        "page.css",
        "charts.js",
        "icon.svg",
        "id=\"root\"",
        "id=\"boot\"",
    ];
    let positions: Vec<usize> = order
        .iter()
        .map(|name| document.find(name).expect(name))
        .collect();
    assert!(positions.is_sorted(), "{document}");
    assert_eq!(
        document
            .matches("<link rel=\"preload\" as=\"script\" href=\"/assets/x/1.0.0/common.js\"")
            .count(),
        1
    );
    assert!(document.contains(
        "<link rel=\"stylesheet\" href=\"/assets/x/1.0.0/frame.css\" data-href=\"frame.css\" \
         integrity=\"sha384-frame.css\" crossorigin=\"anonymous\">"
    ));
    // A section's stylesheet must not block the shell.
    assert!(document.contains(
        "<link rel=\"preload\" as=\"style\" href=\"/assets/x/1.0.0/page.css\" \
         integrity=\"sha384-page.css\" crossorigin=\"anonymous\">"
    ));
    for script in ["runtime.js", "react.js", "main.js"] {
        assert!(document.contains(&format!(
            "<script src=\"/assets/x/1.0.0/{script}\" defer integrity=\"sha384-{script}\" \
             crossorigin=\"anonymous\"></script>"
        )));
    }
    assert!(!document.contains("noindex"));
    assert_eq!(boot(&document)["page"]["bytes"], 4_500);
}

#[test]
fn boot_payload_cannot_end_its_script_element() {
    let hostile = "</script><script>alert(1)</script><!-- <script ";
    let form = Form {
        page: "/order".to_owned(),
        code: None,
        message: hostile.to_owned(),
        values: [("email", "<b>\"'&\u{2028}".into())].into(),
    };
    let document = document(Some(&page()), json!({ "brand": hostile }), Some(&form));
    // Three scripts of the shell, and the payload.
    assert_eq!(document.matches("<script").count(), 4);
    assert_eq!(document.matches("</script>").count(), 4);
    assert!(!document.contains("<!--"));
    let boot = boot(&document);
    assert_eq!(boot["site"]["brand"], hostile);
    assert_eq!(
        boot["form"],
        json!({ "page": "/order", "message": hostile, "values": { "email": "<b>\"'&\u{2028}" } })
    );
}

#[test]
fn title_and_meta_are_escaped() {
    let document = document(None, json!({}), None);
    assert!(document.contains("<title>A &lt;b&gt; &amp; &quot;c&quot;</title>"));
    assert!(document.contains("<meta name=\"rating\" content=\"&quot;general&quot;\">"));
    assert_eq!(escape("<>&\"'"), "&lt;&gt;&amp;&quot;&#39;");
}

#[test]
fn not_found_document_has_no_page_and_is_not_indexed() {
    let document = document(None, json!({}), None);
    assert!(document.contains("<meta data-head=\"\" name=\"robots\" content=\"noindex\">"));
    let boot = boot(&document);
    assert_eq!(boot["page"], Value::Null);
    assert_eq!(boot["deployment"], "7");
    assert!(boot.get("form").is_none());
}

fn content(html: &str) -> PageContent {
    serde_json::from_value(json!({
        "status": 200,
        "head": { "title": "A page" },
        "view": {},
        "html": html,
        "readsToday": false,
    }))
    .unwrap()
}

// The cascade does not depend on which stylesheets can be inlined.
#[test]
fn stylesheets_keep_their_order_if_one_is_not_inlined() {
    let mut page = page();
    page.assets = ["base.css", "theme.css", "page.css"]
        .map(|name| asset(name, AssetKind::Style))
        .to_vec();
    let all = ["frame.css", "base.css", "theme.css", "page.css"];
    for linked in all {
        let inlined = all.iter().filter(|name| **name != linked).map(|name| {
            let Asset { href, name, .. } = asset(name, AssetKind::Style);
            Arc::new(InlineStyle {
                text: format!("/* {name} */"),
                csp_hash: String::new(),
                href,
                name,
            })
        });
        let inlined: Vec<_> = inlined.collect();
        let document = with_content(Some(&page), json!({}), None, Some(&content("")), &inlined);
        let styles = document.match_indices("data-href=\"").map(|(at, mark)| {
            let (name, _) = document[at + mark.len()..].split_once('"').unwrap();
            name
        });
        assert_eq!(styles.collect::<Vec<_>>(), all, "{document}");
        assert_eq!(document.matches("rel=\"stylesheet\"").count(), 1, "{document}");
        assert!(!document.contains("as=\"style\""), "{document}");
    }
}

#[test]
fn rendered_document_blocks_painting_until_main_element() {
    let expect_link = "<link rel=\"expect\" href=\"#main\" blocking=\"render\">";
    for (html, is_expected) in [
        ("<header></header><main id=\"main\" tabindex=\"-1\"></main>", true),
        // Without a main element, browsers would wait for nothing.
        ("<header></header><main data-id=\"main\"></main>", false),
    ] {
        let document = with_content(Some(&page()), json!({}), None, Some(&content(html)), &[]);
        assert_eq!(document.contains(expect_link), is_expected, "{document}");
    }
    assert!(!document(Some(&page()), json!({}), None).contains(expect_link));
}
