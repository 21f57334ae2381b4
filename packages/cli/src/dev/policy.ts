import type { ContentPolicy } from "../build/policy.js";
import { isLoopback } from "../check/permission.js";

const HOSTS = [
  ["images", "img-src"],
  ["media", "media-src"],
  ["fonts", "font-src"],
  ["connections", "connect-src"],
  ["frames", "frame-src"],
] as const satisfies readonly (readonly [keyof ContentPolicy, string])[];

/**
 * Returns a Content Security Policy of the site with what sections under development ask for, as a gateway whose operator permits
 * it writes it (gateway/crates/site/src/content_security_policy.rs).
 */
export function widenedPolicy(header: string, policies: readonly ContentPolicy[]): string {
  const directives = new Map(
    header.split(/; */).map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, new Set(sources)];
    }),
  );
  const add = (name: string, ...sources: readonly string[]): void => {
    directives.set(name, new Set([...(directives.get(name) ?? []), ...sources]));
  };
  for (const policy of policies) {
    for (const [key, name] of HOSTS)
      for (const host of policy[key] ?? []) {
        const secure = isLoopback(host) ? "" : "s";
        add(name, `http${secure}://${host}`, ...(key === "connections" ? [`ws${secure}://${host}`] : []));
      }
    const { styleAttributes = false, styleElements = false, workers = false, trustedTypes } = policy;
    if (styleElements === true) add("style-src-elem", "'self'", "'unsafe-inline'");
    else if (styleElements) add("style-src", ...styleElements.map((hash) => `'${hash}'`));
    if (styleAttributes) add("style-src-attr", "'unsafe-inline'");
    if (workers) add("worker-src", "'self'", "blob:");
    if (trustedTypes === "report")
      for (const name of ["require-trusted-types-for", "trusted-types"]) directives.delete(name);
  }
  return [...directives].map(([name, sources]) => [name, ...sources].join(" ")).join("; ");
}
