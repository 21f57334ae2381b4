// The URLs that the site's Content Security Policy blocks: gateway/crates/site/src/document/content_security_policy.rs.

/** A URL that the browser does not load. */
export interface BlockedUrl {
  /** What contains the URL, such as `the prop "src" of a <iframe> element`. */
  readonly message: string;
  /** What to do instead. */
  readonly advice: string;
}

// The policy allows no frames, also not of this origin.
const FRAMES: Readonly<Record<string, string>> = { iframe: "src", embed: "src", object: "data" };

/** Returns what the policy blocks of a prop of an HTML element. */
export function blockedProp(tag: string, name: string): BlockedUrl | undefined {
  return FRAMES[tag] === name
    ? {
        message: `the prop "${name}" of a <${tag}> element`,
        advice: "Link to the page instead: the policy blocks frames.",
      }
    : undefined;
}
