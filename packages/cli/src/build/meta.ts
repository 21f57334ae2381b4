import { UsageError } from "./usageError.js";

/**
 * The names that `meta` cannot have, as the gateway rejects them: the gateway or a page's head writes these elements, and
 * `referrer` would replace the referrer policy of the response.
 */
export const OWN_META: readonly string[] = [
  "description",
  "keywords",
  "referrer",
  "robots",
  "theme-color",
  "twitter:card",
  "viewport",
];

const NAME = /^[\w.:-]{1,64}$/;

/** @throws UsageError if the value of the key `meta` is invalid. */
export function checkMeta(file: string, meta: unknown): void {
  if (typeof meta !== "object" || meta === null || Array.isArray(meta))
    throw new UsageError(`${file}: meta is ${JSON.stringify(meta)}; expected { name: content }`);
  for (const [name, content] of Object.entries(meta)) {
    if (!NAME.test(name))
      throw new UsageError(
        `${file}: meta has the name ${JSON.stringify(name)}; expected at most 64 letters, digits, "-", "_", "." and ":"`,
      );
    if (OWN_META.includes(name.toLowerCase()))
      throw new UsageError(
        `${file}: meta has the name "${name}", which the gateway or the page's head writes; choose another name`,
      );
    if (typeof content !== "string" || content === "" || /\p{Cc}/u.test(content))
      throw new UsageError(
        `${file}: meta["${name}"] is ${JSON.stringify(content)}; expected a text without control characters`,
      );
  }
}
