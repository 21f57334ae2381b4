import { createRequire } from "node:module";
import path from "node:path";

const kit = createRequire(import.meta.url).resolve("@colonnade/kit/contract");

/** The folders of this package and of the kit: the tools that every build depends on. */
export const TOOL_FOLDERS = [
  path.resolve(import.meta.dirname, "../.."),
  path.resolve(path.dirname(kit), ".."),
] as const;
