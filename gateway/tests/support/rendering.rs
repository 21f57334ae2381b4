//! Releases with server-rendered pages, and a gateway that serves them.

use serde_json::json;

use super::{Gateway, Release, Response, SCRIPT};

/// The server module of a shell that renders a section's output.
const RENDER: &str = r#"
export async function render(section, { path, page, site, form, config }) {
  if (page && !section) throw new Error("the section's module has no default export");
  const html = section ? await section.page(path, site, form, config) : "no page";
  const head = { title: `${path} & <title>`, description: "d\"d", canonical: path, language: section?.language, alternates: section?.alternates };
  return { status: section && html !== "nothing" ? 200 : 404, head, view: { kind: "page", data: { path } }, html, readsToday: false };
}
"#;

/// The server module of a section that renders without errors.
pub(crate) const HEALTHY_MODULE: &str = "export default { page: (path) => `<p>page ${path}</p>` };";

pub(crate) fn rendering_shell(version: &str) -> Release {
    Release::shell(version)
        .bytes("server/index.js", SCRIPT, RENDER)
        .with("modules", json!({ "shell": "server/index.js" }))
}

/// A section with one page and a server module.
pub(crate) fn rendered_section(name: &str, version: &str, pattern: &str, module: &str) -> Release {
    Release::section(name, version, &[pattern])
        .bytes("server/index.js", SCRIPT, module)
        .with("modules", json!({ "section": "server/index.js" }))
}

/// A gateway with a healthy section at `/healthy/:x` and the module under test at `/attack/:x`.
pub(crate) fn rendering_gateway(settings: &str, attack: &str) -> Gateway {
    with_rendering_site(Gateway::start_with(settings, &[]), attack)
}

/// Deploys the site of [`rendering_gateway`].
pub(crate) fn with_rendering_site(gateway: Gateway, attack: &str) -> Gateway {
    gateway.publish(&rendering_shell("1.0.0"));
    gateway.publish(&rendered_section(
        "healthy",
        "1.0.0",
        "/healthy/:x",
        HEALTHY_MODULE,
    ));
    gateway.publish(&rendered_section("attack", "1.0.0", "/attack/:x", attack));
    gateway.deploy(&json!({ "shell": "1.0.0", "healthy": "1.0.0", "attack": "1.0.0" }));
    gateway
}

pub(crate) fn is_rendered(response: &Response) -> bool {
    !response.text().contains("<div id=\"root\"></div>")
}

/// The number of renders of a section with this outcome.
pub(crate) fn render_count(gateway: &Gateway, section: &str, outcome: &str) -> u64 {
    gateway.metric(&format!(
        "colonnade_renders_total{{section=\"{section}\",outcome=\"{outcome}\"}}"
    ))
}

/// Requests pages until one is server-rendered. Busy workers fail fast, so it may take many requests.
pub(crate) fn wait_until_rendered(gateway: &Gateway, path: &str) -> bool {
    (0..100_000).any(|number| is_rendered(&gateway.get(&format!("{path}{number}"))))
}

/// The server module of a shell that supports queries.
const RENDER_WITH_QUERIES: &str = r#"
export async function render(section, { path, form, results }) {
  const key = path.split("/").at(-1);
  const queries = section?.queries?.(key, form);
  if (queries && !results) return { queries, readsToday: false };
  const data = section ? section.data(key, results, form) : { isMissing: true };
  const { invalid } = data;
  if (data.location) return { status: 307, location: data.location, readsToday: false, invalid };
  const html = `<p>${JSON.stringify(data).replaceAll("<", "&lt;")}</p>`;
  const head = { title: path, robots: data.robots };
  return { status: data.isMissing ? 404 : 200, head, view: { kind: "page", data }, html, readsToday: false, invalid };
}
"#;

/// Publishes and deploys a shell that supports queries, and a section with the page `/live/:key` that exports `queries(key)`
/// and `data(key, results, form)`. `invalid` of the data names the results that do not fit their schema.
pub(crate) fn deploy_with_queries(gateway: &Gateway, module: &str) {
    gateway.publish(&query_shell());
    gateway.publish(&rendered_section("live", "1.0.0", "/live/:key", module));
    gateway.deploy(&json!({ "shell": "1.0.0", "live": "1.0.0" }));
}

pub(crate) fn query_shell() -> Release {
    rendering_shell("1.0.0").bytes("server/index.js", SCRIPT, RENDER_WITH_QUERIES)
}

/// The server module of a shell that renders extensions. A page exports `page(key, form)`, which returns its HTML and the props
/// of its points; an extension is a function of its props, `site` and the results of `queries(props)`, and returns what `render`
/// does. Without a section the page has the shell's point.
const RENDER_WITH_EXTENSIONS: &str = r#"
export async function render(section, { path, form, extension, site, results }) {
  if (extension) {
    const { show, queries } = section.extensions[extension.point];
    if (queries && !results) return { queries: queries(extension.props), readsToday: false };
    return show(extension.props, { site, results });
  }
  const shell = { html: '<div data-extension-point="shell/banner@1"></div>', points: { "shell/banner@1": {} } };
  const { html, points } = section ? section.page(path.split("/").at(-1), form) : shell;
  const head = { title: path };
  return { status: section ? 200 : 404, head, view: { kind: "page", data: {} }, html, points, readsToday: false };
}
"#;

/// A shell with the point `shell/banner@1` that renders extensions.
pub(crate) fn extensible_shell() -> Release {
    rendering_shell("1.0.0")
        .bytes("server/index.js", SCRIPT, RENDER_WITH_EXTENSIONS)
        .opens("shell/banner", 1, 16)
}

/// A section that fills a point with this extension.
pub(crate) fn extending_section(name: &str, version: &str, point: &str, extension: &str) -> Release {
    let module = format!("export default {{ extensions: {{ '{point}': {extension} }} }};");
    rendered_section(name, version, &format!("/{name}"), &module).fills(point, 0)
}
