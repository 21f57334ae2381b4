import { FEATURES, type ContentPolicy } from "../build/policy.js";
import {
  isLoopback,
  MARKUP,
  permissionOf,
  STYLE_ATTRIBUTES,
  STYLE_ELEMENTS,
  type Permission,
} from "../check/permission.js";

const HOSTS = [
  ["images", "img-src"],
  ["media", "media-src"],
  ["fonts", "font-src"],
  ["connections", "connect-src"],
  ["frames", "frame-src"],
] as const satisfies readonly (readonly [keyof ContentPolicy, string])[];

const TRUSTED_TYPES: ReadonlySet<string> = new Set(["require-trusted-types-for", "trusted-types"]);

// By directive and what a violation of it names as the blocked URL.
const FLAGS: Readonly<Record<string, Permission>> = {
  "style-src-attr inline": STYLE_ATTRIBUTES,
  "style-src-elem inline": STYLE_ELEMENTS,
  "worker-src blob": { key: "workers" },
  "trusted-types trusted-types-policy": MARKUP,
};

/** What stands for the directive in a report of the browser about a denied feature. */
const DENIED_FEATURE = "permissions-policy";

/**
 * Returns the key and value of `policy` that permit what the browser blocks, or undefined if no key does. Directive and URL are
 * those of a `securitypolicyviolation` event, or `permissions-policy` and the feature.
 */
export function permissionOfViolation(directive: string, blocked: string): Permission | undefined {
  if (directive === DENIED_FEATURE)
    return FEATURES.some((feature) => feature === blocked) ? { key: "features", value: blocked } : undefined;
  const [key] = HOSTS.find(([, name]) => name === directive) ?? [];
  if (!key) return FLAGS[`${directive} ${blocked}`];
  // Of a URL such as `data:…`, a violation names only the scheme.
  return permissionOf(key, blocked.includes(":") ? blocked : `${blocked}:`);
}

/** The header `Permissions-Policy` of documents that are denied all features. */
export const DENIED_FEATURES = FEATURES.map((feature) => `${feature}=()`).join(", ");

/** Returns a header `Permissions-Policy` with the features that sections under development ask for. */
export function permittedFeatures(header: string, policies: readonly ContentPolicy[]): string {
  const permitted = new Set<string>(policies.flatMap(({ features = [] }) => features));
  return header.replaceAll(/([\w-]+)=\(\)/g, (denied, feature: string) =>
    permitted.has(feature) ? `${feature}=(self)` : denied,
  );
}

/**
 * Returns the headers of a Content Security Policy of the site with what sections under development ask for, as a gateway whose
 * operator permits it writes it (gateway/crates/site/src/content_security_policy.rs).
 */
export function widenedPolicy(header: string, policies: readonly ContentPolicy[]): Readonly<Record<string, string>> {
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
        if (host.endsWith(":")) {
          add(name, host);
          continue;
        }
        const secure = isLoopback(host) ? "" : "s";
        add(name, `http${secure}://${host}`, ...(key === "connections" ? [`ws${secure}://${host}`] : []));
      }
    const { styleAttributes = false, styleElements = false, workers = false } = policy;
    if (styleElements === true) add("style-src-elem", "'self'", "'unsafe-inline'");
    else if (styleElements) add("style-src", ...styleElements.map((hash) => `'${hash}'`));
    if (styleAttributes) add("style-src-attr", "'unsafe-inline'");
    if (workers) add("worker-src", "'self'", "blob:");
  }
  const isReported = policies.some(({ trustedTypes }) => trustedTypes === "report");
  const textOf = (has: (name: string) => boolean): string =>
    [...directives]
      .filter(([name]) => has(name))
      .map(([name, sources]) => [name, ...sources].join(" "))
      .join("; ");
  const reported = textOf((name) => isReported && TRUSTED_TYPES.has(name));
  return {
    "content-security-policy": textOf((name) => !(isReported && TRUSTED_TYPES.has(name))),
    ...(reported !== "" && { "content-security-policy-report-only": reported }),
  };
}
