// Deeper data is cyclic, or nested deeper than the gateway reads.
const MAX_DEPTH = 100;

/**
 * Finds the first value that JSON would change, and its path: `.cities[3].updated is a Date`. Null if there is none. The
 * browser hydrates from a page's data as JSON, so such a value would render differently there.
 */
export function findNonJson(value: unknown, depth = 0): string | null {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return null;
  if (typeof value === "number") return Number.isFinite(value) ? null : ` is ${String(value)}`;
  if (typeof value !== "object") return ` is ${value === undefined ? "undefined" : `a ${typeof value}`}`;
  if (depth === MAX_DEPTH) return " is cyclic or nested too deeply";
  if (Array.isArray(value)) return findInArray(value, depth);
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype !== Object.prototype) return ` is a ${prototype?.constructor.name ?? "null-prototype object"}`;
  for (const key of Object.keys(value)) {
    const found = findNonJson((value as Record<string, unknown>)[key], depth + 1);
    if (found !== null) return `.${key}${found}`;
  }
  return null;
}

function findInArray(values: readonly unknown[], depth: number): string | null {
  // By index: iteration methods skip holes, which JSON turns into null.
  for (let index = 0; index < values.length; index += 1) {
    const found = findNonJson(values[index], depth + 1);
    if (found !== null) return `[${String(index)}]${found}`;
  }
  return null;
}
