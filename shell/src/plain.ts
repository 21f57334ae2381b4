// Deeper data is a cycle, or more than the gateway reads.
const DEEPEST = 100;

/**
 * What JSON would change in a value, and where: `.cities[3].updated is a Date`. Null where the value survives. A browser
 * goes on from a page's data as JSON, so anything else would be drawn there otherwise than on the server.
 */
export function findForeign(value: unknown, depth = 0): string | null {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return null;
  if (typeof value === "number") return Number.isFinite(value) ? null : ` is ${String(value)}`;
  if (typeof value !== "object") return ` is ${value === undefined ? "undefined" : `a ${typeof value}`}`;
  if (depth === DEEPEST) return " is nested too deeply, or within itself";
  if (Array.isArray(value)) return findInList(value, depth);
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype !== Object.prototype) return ` is a ${prototype?.constructor.name ?? "null-prototype object"}`;
  for (const key of Object.keys(value)) {
    const found = findForeign((value as Record<string, unknown>)[key], depth + 1);
    if (found !== null) return `.${key}${found}`;
  }
  return null;
}

function findInList(values: readonly unknown[], depth: number): string | null {
  // By index, since a hole is undefined, too.
  for (let index = 0; index < values.length; index += 1) {
    const found = findForeign(values[index], depth + 1);
    if (found !== null) return `[${String(index)}]${found}`;
  }
  return null;
}
