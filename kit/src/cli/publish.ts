import { access as canRead } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";

import * as tar from "tar";

import { readRelease, RELEASE_FOLDER } from "../build/build.js";
import { UsageError } from "../build/config.js";
import type { Release } from "../build/release.js";
import { callAdmin, type AdminAccess } from "./api.js";
import { remoteCommand } from "./command.js";
import { showProgress } from "./progress.js";

/** What a publish did. */
export interface Published {
  readonly name: string;
  readonly version: string;
  /** False where the gateway had this release already. */
  readonly isNew: boolean;
  /** What the gateway says about it beside the live set. It was kept all the same. */
  readonly warnings: readonly string[];
}

/** Told how much of an upload has left, in bytes. */
export type OnProgress = (sent: number, total: number) => void;

/** Sends the release that the last build left in `folder` to the gateway. Nothing goes live by it. */
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

// Whole before the first byte leaves, so that the gateway is told its length and a missing file costs nobody anything.
async function pack(folder: string, release: Release): Promise<Buffer> {
  const files = release.files.map((file) => file.path);
  for (const file of files) {
    await canRead(path.join(folder, file)).catch(() => {
      throw new UsageError(
        `${path.join(folder, file)} is missing; remove the folder release and run \`section build\` again`,
      );
    });
  }
  return buffer(tar.create({ gzip: true, cwd: folder, portable: true }, ["release.json", ...files]));
}

/** `section publish` */
export const publishCommand = remoteCommand({
  name: "publish",
  summary: "send that release to the gateway",
  description: `Sends the release in release/ to the gateway, which checks and keeps it, or refuses all
of it and names every problem. Nothing goes live by it.`,
  options: {},
  async run({ surroundings: { folder, screen }, access }) {
    const progress = showProgress(screen);
    const published = await publish(folder, access, progress.show).finally(progress.clear);
    const { name, version, isNew, warnings } = published;
    return {
      text: `${name}@${version} ${isNew ? "is published" : "was published already"}`,
      data: published,
      warnings,
    };
  },
});
