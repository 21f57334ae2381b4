import { isSitePath } from "../paths.js";

// In bytes.
const MAX_LENGTH = 2048;
// Segments that some servers would read in another way: a backslash as a slash, and a control character as the end of a line.
const AMBIGUOUS = /%(5c|[01][0-9a-f]|7f|c2%[89][0-9a-f])/i;
// What browsers leave as it is, without the backslash.
const QUERY = /^[!$-;=?-[\]-~]*$/;

/**
 * Returns whether a text is a percent-encoded path of this site, with or without a query string. The gateway decides by the same
 * rules (`site_url.rs` of the crate `render`).
 */
export function isSiteUrl(text: string): boolean {
  const [, path = "", query = ""] = /^([^?]*)(.*)$/s.exec(text) ?? [];
  return text.length <= MAX_LENGTH && isSitePath(path) && !AMBIGUOUS.test(path) && QUERY.test(query);
}
