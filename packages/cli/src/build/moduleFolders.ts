import path from "node:path";

/** The folders `node_modules` in which a module of this folder finds packages, the nearest first. */
export function moduleFolders(folder: string): string[] {
  const own = path.join(folder, "node_modules");
  const parent = path.dirname(folder);
  return parent === folder ? [own] : [own, ...moduleFolders(parent)];
}
