import { readdirSync, readFileSync } from "node:fs";

const CONTENT = new URL("../content/", import.meta.url);
const MONTHS = 12;

/** Warns of the guides whose text nobody has changed or checked for {@link MONTHS} months. */
export function warnOfOldGuides(now = new Date()) {
  const limit = new Date(now);
  limit.setUTCMonth(limit.getUTCMonth() - MONTHS);
  for (const name of readdirSync(CONTENT)) {
    const text = readFileSync(new URL(name, CONTENT), "utf8");
    const dates = [...text.matchAll(/^(?:updated|checked): "?([\d-]+)/gm)].map(([, date]) => date);
    const newest = dates.sort().at(-1);
    if (newest !== undefined && newest < limit.toISOString().slice(0, 10)) {
      console.warn(
        `content/${name} was last changed or checked on ${newest}. Compare its facts with its sources, and set "checked".`,
      );
    }
  }
}
