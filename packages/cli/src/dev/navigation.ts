import type { NavigationEntry, NavigationLink, Site } from "@colonnade/kit";

/**
 * Replaces links of a site by those of sections under development that have the same path. Others come last: only a deploy knows the
 * order of all sections.
 */
export function withNavigation(site: Site, entries: readonly NavigationEntry[]): Site {
  const linksOf = (list: NavigationEntry["to"], released: readonly NavigationLink[]): NavigationLink[] => {
    const own = entries.filter(({ to }) => to === list).map(({ label, path }): NavigationLink => ({ label, path }));
    return [...new Map([...released, ...own].map((link) => [link.path, link])).values()];
  };
  const { menu, footer } = site.navigation;
  return { ...site, navigation: { menu: linksOf("shell/menu", menu), footer: linksOf("shell/footer", footer) } };
}
