import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { build } from "@colonnade/kit/build";

import { deployPackages } from "./deploy-packages.mjs";
import { test } from "./fixtures";
import { ROOT } from "./repository.mjs";
import { startSite, type Site } from "./site.mjs";

/** Message of the error that the section's pages throw. */
export const FAULT = "a fault of this release";

/** A separate site with a section whose pages throw. Available once the tests of the file run. */
export interface FaultySite {
  readonly site: Site;
  /** Folder of the built section. */
  readonly folder: string;
}

/** Builds and deploys the faulty section before the tests of the calling file, and removes it after them. */
export function useFaultySite(): FaultySite {
  // One worker builds the section for all tests.
  test.describe.configure({ mode: "default" });

  let folder: string;
  let own: Site;
  test.beforeAll(async ({ site }) => {
    folder = await buildFaultySection();
    own = await startSite({ base: site });
    await deployPackages(own.access, [folder]);
  });
  test.afterAll(async () => {
    await own.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get site() {
      return own;
    },
    get folder() {
      return folder;
    },
  };
}

/** Builds the section in a temporary folder. Returns the folder. */
async function buildFaultySection(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-faulty-"));
  await cp(path.join(import.meta.dirname, "faulty-section"), folder, { recursive: true });
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  await build(folder, { final: false });
  return folder;
}
