//! Packages that the shell shares with sections.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, SCRIPT, rendered_section, rendering_shell};

/// A shell that shares version 4.1.0 of the package `schema` besides React.
fn sharing_shell(version: &str) -> Release {
    rendering_shell(version)
        .with("shared", json!({ "react": "19.1.0", "schema": "4.1.0" }))
        .with("sharedAssets", json!({ "schema": ["client/schema.js"] }))
        .file("client/schema.js", SCRIPT)
        .bytes("server/runtime.js", SCRIPT, "export const name = 'schema 4.1.0';")
        .bytes("server/schema.js", SCRIPT, "export { name } from './runtime.js';")
        .with(
            "modules",
            json!({ "shell": "server/index.js", "schema": "server/schema.js", "./runtime.js": "server/runtime.js" }),
        )
}

/// A section with a page for `/<name>` that loads the package when it is rendered.
fn user(name: &str, version: &str) -> Release {
    let module = "export default { page: async (path) => `<p>${(await import('schema')).name}</p>` };";
    let mut release = rendered_section(name, version, &format!("/{name}"), module)
        .with("shared", json!({ "react": "^19.0.0", "schema": "^4.0.0" }));
    release.fields["pages"][0]["shared"] = json!(["schema"]);
    release
}

/// The length of these client files.
fn length(release: &Release, files: &[&str]) -> usize {
    let lengths = files
        .iter()
        .map(|file| release.contents(&format!("client/{file}")).len());
    lengths.sum()
}

fn problems(gateway: &Gateway, body: &Value) -> Value {
    let response = gateway.post_deployment(body);
    assert_eq!(response.status, 409, "{}", response.text());
    response.json()["problems"].clone()
}

#[test]
fn shared_package_is_loaded_with_pages_that_need_it() {
    let gateway = Gateway::start();
    let shell = sharing_shell("1.0.0");
    let plain = "export default { page: () => '<p>plain</p>' };";
    for release in [
        &shell,
        &user("form", "1.0.0"),
        &rendered_section("plain", "1.0.0", "/plain", plain),
    ] {
        gateway.publish(release);
    }
    gateway.deploy(&json!({ "shell": "1.0.0", "form": "1.0.0", "plain": "1.0.0" }));
    let form = gateway.get("/form");
    assert!(form.text().contains("<p>schema 4.1.0</p>"), "{}", form.text());
    let integrity = shell.integrity("client/schema.js");
    let preload = format!(
        "<link rel=\"preload\" as=\"script\" href=\"/assets/shell/1.0.0/schema.js\" integrity=\"{integrity}\" \
         crossorigin=\"anonymous\" fetchpriority=\"low\">"
    );
    assert!(form.text().contains(&preload), "{}", form.text());
    let plain = gateway.get("/plain");
    assert!(plain.text().contains("<p>plain</p>") && !plain.text().contains("schema"));
    let bytes = |path: &str| gateway.get(path).boot()["page"]["bytes"].as_u64().unwrap();
    let own = Release::section("form", "1.0.0", &["/form"]);
    let own = length(&own, &["entry.js", "common.js", "page.js", "page.css"]);
    let all = own + length(&shell, &["schema.js"]);
    assert_eq!(bytes("/form"), all as u64);
    let page = gateway.get("/_page/1?path=/form").json();
    assert_eq!(page["bytes"], all);
}

#[test]
fn shared_package_is_listed_with_extensions_that_need_it() {
    let gateway = Gateway::start();
    let shell = |version: &str, script: &str| {
        Release::shell(version)
            .with("shared", json!({ "react": "19.1.0", "schema": "4.1.0" }))
            .with("sharedAssets", json!({ "schema": ["client/schema.js"] }))
            .bytes("client/schema.js", SCRIPT, script)
    };
    let (shell, newer) = (shell("1.0.0", "// script"), shell("1.1.0", "// longer script"));
    let mut form = Release::section("form", "1.0.0", &["/form"])
        .with("shared", json!({ "react": "^19.0.0", "schema": "^4.0.0" }))
        .fills("plain/aside@1", 0);
    form.fields["extensions"][0]["shared"] = json!(["schema"]);
    let plain = Release::section("plain", "1.0.0", &["/plain"]).opens("plain/aside", 1, 1);
    for release in [&shell, &newer, &form, &plain] {
        gateway.publish(release);
    }
    gateway.deploy(&json!({ "shell": "1.0.0", "form": "1.0.0", "plain": "1.0.0" }));
    let listed = |set: &str, shell: &Release| {
        let page = gateway.get(&format!("/_page/{set}?path=/plain")).json();
        let extension = &page["extensions"]["plain/aside@1"][0];
        let own = length(&form, &["entry.js", "common.js", "page.js", "page.css"]);
        assert_eq!(extension["bytes"], own + length(shell, &["schema.js"]), "{page}");
        extension["assets"].as_array().unwrap().last().unwrap().clone()
    };
    let script = |shell: &Release| {
        json!({
            "href": format!("/assets/shell/{}/schema.js", shell.version),
            "name": "schema.js",
            "integrity": shell.integrity("client/schema.js"),
            "type": "script",
        })
    };
    assert_eq!(listed("1", &shell), script(&shell));
    // A visitor of a candidate gets the scripts of its shell.
    let rollout = json!({ "releases": { "shell": "1.1.0" }, "percent": 10 });
    assert_eq!(gateway.post_deployment(&rollout).status, 201);
    assert_eq!(listed("1.2", &newer), script(&newer));
    assert_eq!(listed("1", &shell), script(&shell));
}

#[test]
fn set_with_unmet_shared_package_is_refused() {
    let gateway = Gateway::start();
    let without = rendering_shell("3.0.0");
    let newer = sharing_shell("2.0.0").with("shared", json!({ "react": "19.1.0", "schema": "5.0.0" }));
    let ahead = user("ahead", "1.0.0").with("shared", json!({ "react": "^19.0.0", "schema": "^5.0.0" }));
    for release in [
        &sharing_shell("1.0.0"),
        &newer,
        &without,
        &user("form", "1.0.0"),
        &user("late", "1.0.0"),
        &ahead,
    ] {
        gateway.publish(release);
    }
    gateway.deploy(&json!({ "shell": "1.0.0", "form": "1.0.0" }));
    let deploy = |releases: Value| problems(&gateway, &json!({ "releases": releases }));
    assert_eq!(
        deploy(json!({ "shell": "2.0.0" })),
        json!(["form@1.0.0 needs `schema` ^4.0.0; shell@2.0.0 provides 5.0.0"])
    );
    assert_eq!(
        deploy(json!({ "shell": "3.0.0" })),
        json!(["form@1.0.0 needs `schema` ^4.0.0; shell@3.0.0 does not provide it"])
    );
    let unmet = json!(["ahead@1.0.0 needs `schema` ^5.0.0; shell@1.0.0 provides 4.1.0"]);
    assert_eq!(deploy(json!({ "ahead": "1.0.0" })), unmet);
    // The next version of the section uses what this shell omits.
    let omits = json!({ "schema": ["languages"] });
    gateway.publish(&sharing_shell("4.0.0").with("omittedExports", omits));
    let uses = json!({ "schema": ["name", "languages.de"] });
    gateway.publish(&user("form", "2.0.0").with("usedExports", uses));
    gateway.deploy(&json!({ "form": "2.0.0" }));
    assert_eq!(
        deploy(json!({ "shell": "4.0.0" })),
        json!([
            "form@2.0.0 uses the export `languages.de` of `schema`; shell@4.0.0 omits it or a part of it"
        ])
    );
    gateway.deploy(&json!({ "form": "1.0.0" }));
    // A visitor can get the releases of each pair of rollouts.
    let rollout = |releases: Value| json!({ "releases": releases, "percent": 10 });
    assert_eq!(problems(&gateway, &rollout(json!({ "ahead": "1.0.0" }))), unmet);
    let started = gateway.post_deployment(&rollout(json!({ "shell": "2.0.0", "form": null })));
    assert_eq!(started.status, 201, "{}", started.text());
    let late = problems(&gateway, &rollout(json!({ "late": "1.0.0" })));
    let conflict = late[0].as_str().unwrap();
    assert!(
        conflict.contains("late@1.0.0 needs `schema` ^4.0.0; shell@2.0.0 provides 5.0.0"),
        "{conflict}"
    );
}
