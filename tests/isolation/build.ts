import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { build } from "@colonnade/kit/build";

import { ROOT } from "../support/repository.mjs";

/** What the pages of the faulty section throw. */
export const FAULT = "a fault of this release";

/** A build of the section whose pages fail. */
export interface Faulty {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Builds it, in a folder of its own. */
export async function buildFaulty(): Promise<Faulty> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-faulty-"));
  await cp(path.join(import.meta.dirname, "fixtures/faulty"), folder, { recursive: true });
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  await build(folder, { final: false });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
