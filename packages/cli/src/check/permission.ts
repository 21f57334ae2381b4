import { SCHEMES, type ContentPolicy } from "../build/policy.js";

/** What permits something that the strict policy blocks: a key of `policy` in section.config.js. */
export interface Permission {
  readonly key: keyof ContentPolicy;
  /** For a key with a list: a host, a scheme such as `data:`, or a feature. Absent if unknown. */
  readonly value?: string;
}

/** The permission of HTML from strings. */
export const MARKUP: Permission = { key: "trustedTypes" };
/** That of `style` attributes in HTML. */
export const STYLE_ATTRIBUTES: Permission = { key: "styleAttributes" };
/** That of style elements. */
export const STYLE_ELEMENTS: Permission = { key: "styleElements" };

/** Returns whether the policy of a section has a permission, as far as it is known. */
export function permits(policy: ContentPolicy = {}, { key, value }: Permission): boolean {
  const permitted = policy[key];
  if (typeof permitted !== "object") return permitted === true || permitted === "report";
  if (value === undefined) return permitted.length > 0;
  return permitted.some((each) => each === value || (each.startsWith("*") && value.endsWith(each.slice(1))));
}

/** Returns what none of these policies permits: that of the section, and that of the site. */
export function unpermitted<Found extends { readonly permission?: Permission | undefined }>(
  found: readonly Found[],
  ...policies: readonly (ContentPolicy | undefined)[]
): Found[] {
  return found.filter(({ permission }) => !permission || !policies.some((policy) => permits(policy, permission)));
}

/** Returns the help text with the settings of section.config.js and of site.toml for a permission. */
export function withPermission(help: string, permission: Permission | undefined, section = "<name>"): string {
  if (!permission) return help;
  const { key, value } = permission;
  const flag = key === "trustedTypes" ? "report" : true;
  const need = value === undefined && key !== "frames" ? flag : [value ?? "…"];
  return `${help} If the operator permits it: policy: { ${key}: ${JSON.stringify(need)} } in section.config.js, and ${siteLine(key, need)} in [policy.sections.${section}] of site.toml.`.trim();
}

/** Returns the line of site.toml that sets a key of the policy. */
export function siteLine(key: string, value: unknown): string {
  return `${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} = ${JSON.stringify(value)}`;
}

/** Returns the permission of a URL that is not of this origin; undefined if the policy never permits it, such as one without encryption. */
export function permissionOf(key: keyof ContentPolicy, url: string): Permission | undefined {
  if (!URL.canParse(url.trim(), "https://site.example")) return undefined;
  const { protocol, host, hostname } = new URL(url.trim(), "https://site.example");
  if (SCHEMES[key]?.includes(protocol)) return { key, value: protocol };
  return (isLoopback(hostname) ? /^(http|ws)s?:$/ : /^(https|wss):$/).test(protocol) ? { key, value: host } : undefined;
}

/** Returns whether a host, maybe with a port, is always the visitor's own machine. All others need encrypted connections. */
export function isLoopback(host: string): boolean {
  return /^((.+\.)?localhost|127\.0\.0\.1)(:\d+)?$/.test(host);
}
