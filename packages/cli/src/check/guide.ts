import path from "node:path";

/** A copy of docs/errors.md. scripts/copy-files.mjs creates it. */
export const GUIDE = path.join(import.meta.dirname, "errors.md");

/** Returns the sentence that says where the codes are explained, for a command that runs in `folder`. */
export function guideHint(folder: string): string {
  const relative = path.relative(folder, GUIDE);
  return `${relative.startsWith("..") ? GUIDE : relative} explains the codes.`;
}
