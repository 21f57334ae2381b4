//! What `globals.js` builds `URL` and `URLSearchParams` of: addresses and queries read and written as browsers do
//! (<https://url.spec.whatwg.org/>).

use rquickjs::function::Opt;
use rquickjs::{Ctx, Function};
use url::{Url, form_urlencoded, quirks};

/// Puts the functions where `globals.js` finds them, and takes them away.
pub(super) fn provide(ctx: &Ctx<'_>) -> rquickjs::Result<()> {
    let globals = ctx.globals();
    globals.set("__parseUrl", Function::new(ctx.clone(), parse)?)?;
    globals.set("__changeUrl", Function::new(ctx.clone(), change)?)?;
    globals.set("__parseQuery", Function::new(ctx.clone(), parse_query)?)?;
    globals.set("__writeQuery", Function::new(ctx.clone(), write_query)?)
}

/// The parts of a URL in the order in which the script has them; `None` if it is none.
#[expect(
    clippy::needless_pass_by_value,
    reason = "what a script passes arrives by value"
)]
fn parse(address: String, base: Opt<Option<String>>) -> Option<Vec<String>> {
    let base = match base.0.flatten() {
        Some(base) => Some(Url::parse(&base).ok()?),
        None => None,
    };
    let url = Url::options().base_url(base.as_ref()).parse(&address).ok()?;
    Some(parts(&url))
}

/// The parts of a URL once one of them has been set. What cannot be set so stays as it is.
#[expect(
    clippy::needless_pass_by_value,
    reason = "what a script passes arrives by value"
)]
fn change(address: String, part: String, value: String) -> Option<Vec<String>> {
    let mut url = Url::parse(&address).ok()?;
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
    Some(parts(&url))
}

fn parts(url: &Url) -> Vec<String> {
    let origin = quirks::origin(url);
    let parts = [
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
    parts.map(str::to_owned).into()
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "what a script passes arrives by value"
)]
fn parse_query(query: String) -> Vec<Vec<String>> {
    let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
    pairs.map(|(key, value)| vec![key, value]).collect()
}

fn write_query(pairs: Vec<Vec<String>>) -> String {
    let pairs = pairs.into_iter().filter_map(|pair| pair.try_into().ok());
    let pairs = pairs.map(|[key, value]: [String; 2]| (key, value));
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}
