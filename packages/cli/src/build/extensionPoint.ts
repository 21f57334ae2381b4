const NAME = "[a-z][a-z0-9-]{0,31}";
const NAME_FORM = "a lowercase letter, followed by up to 31 of a-z, 0-9 and -";
// Version numbers have at most nine digits.
const REFERENCE = new RegExp(`^${NAME}/${NAME}@[1-9]\\d{0,8}$`);

/** The highest version of a point. */
const MAX_VERSION = 999_999_999;

/** Returns what is wrong with a reference to an extension point, or null if it is valid. The gateway rejects the same ones. */
export function referenceProblem(reference: string): string | null {
  if (REFERENCE.test(reference)) return null;
  return `expected the point's ID and version, such as "directory/city-aside@1"; each name is ${NAME_FORM}`;
}

/**
 * Returns what is wrong with the ID of an extension point, or null if it is valid. `owner` is the name of the section that opens
 * it, or `shell`.
 */
export function pointIdProblem(id: unknown, owner: string): string | null {
  if (typeof id === "string" && new RegExp(`^${owner}/${NAME}$`).test(id)) return null;
  return `expected "${owner}/" and a name: ${NAME_FORM}`;
}

/** Returns whether a value is a valid version of an extension point. */
export function isPointVersion(version: unknown): version is number {
  return Number.isInteger(version) && Number(version) >= 1 && Number(version) <= MAX_VERSION;
}
