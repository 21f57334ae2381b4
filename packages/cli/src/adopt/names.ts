/** What global names of a remote begin with. The names of sections are unique on a site. */
export function prefixOf(section: string): string {
  return section.replaceAll("-", "_");
}

/**
 * Whether no remote of another section can have this global name: it is the section's name, alone or continued by an upper-case
 * letter. No section's name has one, so what precedes it is the whole name of one section. A suffix such as `_cart` would not
 * do, because `shop_cart` is the name for the section `shop-cart`.
 */
export function isOwnName(name: string, section: string): boolean {
  const prefix = prefixOf(section);
  const own = name.replaceAll("-", "_");
  return own.startsWith(prefix) && /^([A-Z][\w$]*)?$/.test(own.slice(prefix.length));
}
