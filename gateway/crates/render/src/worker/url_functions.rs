//! The native functions behind `URL` and `URLSearchParams` in `globals.js`, as in browsers
//! (<https://url.spec.whatwg.org/>).

use rquickjs::function::Opt;
use rquickjs::{Ctx, Function};
use url::{Url, form_urlencoded, quirks};

/// Defines the functions as globals. `globals.js` deletes these globals.
pub(super) fn define(ctx: &Ctx<'_>) -> rquickjs::Result<()> {
    let globals = ctx.globals();
    globals.set("__parseUrl", Function::new(ctx.clone(), parse_url)?)?;
    globals.set("__setUrlPart", Function::new(ctx.clone(), set_url_part)?)?;
    globals.set("__parseQuery", Function::new(ctx.clone(), parse_query)?)?;
    globals.set("__serializePair", Function::new(ctx.clone(), serialize_pair)?)
}

/// The components of a URL, in the order of `PARTS` in `globals.js`; `None` if it is invalid.
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments of a script arrive by value"
)]
fn parse_url(url: String, base: Opt<Option<String>>) -> Option<Vec<String>> {
    let base = match base.0.flatten() {
        Some(base) => Some(Url::parse(&base).ok()?),
        None => None,
    };
    let url = Url::options().base_url(base.as_ref()).parse(&url).ok()?;
    Some(components(&url))
}

/// The components of a URL after one was set. An invalid value leaves the URL unchanged.
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments of a script arrive by value"
)]
fn set_url_part(url: String, part: String, value: String) -> Option<Vec<String>> {
    let mut url = Url::parse(&url).ok()?;
    let value = value.as_str();
    let _ = match part.as_str() {
        "href" => quirks::set_href(&mut url, value).map_err(drop),
        "protocol" => quirks::set_protocol(&mut url, value),
        "username" => quirks::set_username(&mut url, value),
        "password" => quirks::set_password(&mut url, value),
        "host" => quirks::set_host(&mut url, value),
        "hostname" => quirks::set_hostname(&mut url, value),
        "port" => quirks::set_port(&mut url, value),
        "pathname" => {
            quirks::set_pathname(&mut url, value);
            Ok(())
        }
        "search" => {
            quirks::set_search(&mut url, value);
            Ok(())
        }
        "hash" => {
            quirks::set_hash(&mut url, value);
            Ok(())
        }
        _ => return None,
    };
    Some(components(&url))
}

fn components(url: &Url) -> Vec<String> {
    let origin = quirks::origin(url);
    let components = [
        quirks::href(url),
        &origin,
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
    ];
    components.map(str::to_owned).into()
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments of a script arrive by value"
)]
fn parse_query(query: String) -> Vec<Vec<String>> {
    let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
    pairs.map(|(key, value)| vec![key, value]).collect()
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments of a script arrive by value"
)]
fn serialize_pair(key: String, value: String) -> String {
    form_urlencoded::Serializer::new(String::new())
        .append_pair(&key, &value)
        .finish()
}
