// Says in a line what happened.

/** @type {Record<string, string>} */
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** @typedef {{ from: string | null; to: string | null }} ReleaseChange */
/** @typedef {{ commit?: string; url?: string; author?: string }} Source */

/** @param {Record<string, ReleaseChange>} sections @param {Record<string, Source> | undefined} sources */
const changesOf = (sections, sources) =>
  Object.entries(sections)
    .map(
      ([name, { from, to }]) => `${name} ${from ?? "new"} → ${to ?? "removed"}${sourceOf(sources?.[`${name}@${to}`])}`,
    )
    .join(", ");

/** @param {string | null} reason */
const becauseOf = (reason) => (reason ? `: ${reason}` : "");

/** @param {Source | undefined} source */
function sourceOf({ commit, url, author } = {}) {
  const parts = [commit?.slice(0, 12), author && `by ${author}`, url].filter(Boolean);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** @typedef {{ site: string; type: string; data: any; sources?: Record<string, Source> }} Message */

/**
 * The line for an event of any type, with a link if there is a console. People write the reasons: `<!channel>` or a link
 * in one is no markup of the chat.
 *
 * @param {Message} event
 * @param {string} [consoleUrl] the URL of the admin listener
 */
export function textOf(event, consoleUrl) {
  const target = consoleUrl ? targetOf(event) : undefined;
  const link = target === undefined ? "" : ` ${new URL(`/console/${target}`, consoleUrl).href}`;
  return `${lineOf(event)}${link}`.replace(/[&<>]/g, (character) => ESCAPES[character]);
}

/** The page of the console about an event, if there is one. @param {Message} event */
function targetOf({ type, data }) {
  switch (type) {
    case "release.published":
      return `sections/${encodeURIComponent(data.name)}?release=${encodeURIComponent(data.version)}`;
    case "deployment.changed":
    case "rollout.changed": {
      const [name, ...others] = Object.keys(data.sections);
      return name === undefined || others.length > 0 ? "history" : `history?section=${encodeURIComponent(name)}`;
    }
    case "extension.switched":
      return `sections/${encodeURIComponent(data.extension.section)}`;
    case "admin.request":
      return undefined;
    default:
      return "gateways";
  }
}

/** @param {Message} event */
function lineOf({ site, type, data, sources }) {
  switch (type) {
    case "release.published":
      return `${site}: ${data.by} published ${data.name} ${data.version}${sourceOf(data.source)}`;
    case "deployment.changed":
    case "rollout.changed": {
      const share = data.percent === undefined ? "" : `(${data.percent}% of visitors)`;
      const parts = [`${site}: ${data.by},`, data.action, share, changesOf(data.sections, sources)];
      return `${parts.filter((part) => part !== "").join(" ")}${becauseOf(data.reason)}`;
    }
    case "extension.switched": {
      const { section, point } = data.extension;
      return `${site}: ${data.by}, ${data.action} of ${section} in ${point}${becauseOf(data.reason)}`;
    }
    case "admin.request":
      return `${site}: ${data.by}, ${data.action} ${data.target ?? "call"} ${data.outcome}${becauseOf(data.cause)}`;
    default:
      return `${site}: ${type} at ${data.gateway}, ${data.subject}${becauseOf(data.error)}`;
  }
}
