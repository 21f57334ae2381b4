import { access as canRead } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";

import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import * as tar from "tar";

import { readRelease, RELEASE_FOLDER } from "../build/build.js";
import { UsageError } from "../build/config.js";
import type { Release } from "../build/release.js";
import { adminAccess, callAdmin, type AdminAccess } from "./api.js";
import type { CommandContext } from "./context.js";
import { uploadProgress } from "./progress.js";

/** Result of a publish. */
export interface Published {
  readonly name: string;
  readonly version: string;
  /** False if the gateway already had this release. */
  readonly isNew: boolean;
  /** Conflicts with the live deployment. They do not prevent publishing. */
  readonly warnings: readonly string[];
}

/** Called during an upload with the number of bytes. */
export type OnProgress = (sent: number, total: number) => void;

/** Uploads the release of the last build in `folder` to the gateway. Does not deploy it. */
export async function publish(folder: string, access: AdminAccess, onProgress?: OnProgress): Promise<Published> {
  const target = path.join(folder, RELEASE_FOLDER);
  const release = await readRelease(target);
  const { name, version } = release;
  const bytes = await pack(target, release);
  const { status, body } = await callAdmin<{ warnings?: readonly string[] }>(
    access,
    "PUT",
    `/api/v1/sections/${name}/releases/${encodeURIComponent(version)}`,
    { type: "application/gzip", bytes, onSent: (sent) => onProgress?.(sent, bytes.length) },
  );
  return { name, version, isNew: status === 201, warnings: body.warnings ?? [] };
}

// Packed in memory first, so that the length is known and a missing file fails before the upload starts.
async function pack(folder: string, release: Release): Promise<Buffer> {
  const files = release.files.map((file) => file.path);
  for (const file of files) {
    await canRead(path.join(folder, file)).catch(() => {
      throw new UsageError(`${path.join(folder, file)} is missing; delete release/ and run \`section build\` again`);
    });
  }
  return buffer(tar.create({ gzip: true, cwd: folder, portable: true }, ["release.json", ...files]));
}

/** Adds `section publish`. */
export function addPublishCommand(
  program: CommandUnknownOpts,
  { folder, environment, stderr, printResult }: CommandContext,
): void {
  program
    .command("publish")
    .summary("upload the release in release/ to the gateway")
    .description(
      "Uploads the release in release/ to the gateway, which validates and stores it, or rejects it and reports every " +
        "problem. Publishing does not put a release live.",
    )
    .action(async () => {
      const progress = uploadProgress(stderr);
      const published = await publish(folder, adminAccess(environment), progress.update).finally(progress.clear);
      const { name, version, isNew, warnings } = published;
      const text = `${name}@${version} ${isNew ? "is published" : "was already published"}`;
      printResult({ text, data: published, warnings });
    });
}
