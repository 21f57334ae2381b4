//! Releases whose pages are rendered, and a gateway that has them live.

use serde_json::json;

use super::{Gateway, Release, Response, SCRIPT};

/// A shell that renders what a section gives it.
const RENDER: &str = r#"
export async function render(section, { path, page, site, form }) {
  if (page && !section) throw new Error("the section's module exports none");
  const html = section ? await section.page(path, site, form) : "no page";
  const head = { title: `${path} & <title>`, description: "d\"d", canonical: path };
  return { status: section && html !== "nothing" ? 200 : 404, head, view: { kind: "page", data: { path } }, html, readsToday: false };
}
"#;

/// What a section that is well exports.
pub(crate) const SOUND: &str = "export default { page: (path) => `<p>page ${path}</p>` };";

pub(crate) fn rendering_shell(version: &str) -> Release {
    Release::shell(version)
        .bytes("server/index.js", SCRIPT, RENDER)
        .with("modules", json!({ "shell": "server/index.js" }))
}

/// A section with one page, and its server module.
pub(crate) fn rendered_section(name: &str, version: &str, pattern: &str, module: &str) -> Release {
    Release::section(name, version, &[pattern])
        .bytes("server/index.js", SCRIPT, module)
        .with("modules", json!({ "section": "server/index.js" }))
}

/// A gateway with a sound section at `/sound/:x`, and another one at `/attack/:x`.
pub(crate) fn rendering_gateway(settings: &str, attack: &str) -> Gateway {
    let gateway = Gateway::start_with(settings, &[]);
    gateway.publish(&rendering_shell("1.0.0"));
    gateway.publish(&rendered_section("sound", "1.0.0", "/sound/:x", SOUND));
    gateway.publish(&rendered_section("attack", "1.0.0", "/attack/:x", attack));
    gateway.deploy(&json!({ "shell": "1.0.0", "sound": "1.0.0", "attack": "1.0.0" }));
    gateway
}

pub(crate) fn is_rendered(answer: &Response) -> bool {
    !answer.text().contains("<div id=\"root\"></div>")
}

/// How many renders of a section had this outcome.
pub(crate) fn renders(gateway: &Gateway, section: &str, outcome: &str) -> u64 {
    gateway.count(&format!(
        "colonnade_renders_total{{section=\"{section}\",outcome=\"{outcome}\"}}"
    ))
}

/// Asks until a page is rendered. Every question is answered, and while workers are busy at once: so there may be many.
pub(crate) fn until_rendered(gateway: &Gateway, path: &str) -> bool {
    (0..100_000).any(|number| is_rendered(&gateway.get(&format!("{path}{number}"))))
}
