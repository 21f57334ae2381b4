import { access as canRead } from "node:fs/promises";
import path from "node:path";

import * as tar from "tar";

import { readRelease, RELEASE_FOLDER } from "../build/build.js";
import { UsageError } from "../build/config.js";
import { callAdmin, type AdminAccess } from "./api.js";

/** What a publish did. */
export interface Published {
  readonly name: string;
  readonly version: string;
  /** False where the gateway had this release already. */
  readonly isNew: boolean;
}

/** Sends the release that the last build left in `folder` to the gateway. Nothing goes live by it. */
export async function publish(folder: string, access: AdminAccess): Promise<Published> {
  const release = path.join(folder, RELEASE_FOLDER);
  const { name, version, files } = await readRelease(release);
  for (const { path: file } of files) {
    await canRead(path.join(release, file)).catch(() => {
      throw new UsageError(
        `${path.join(release, file)} is missing; remove the folder release and run \`section build\` again`,
      );
    });
  }
  const packed = tar.create({ gzip: true, cwd: release, portable: true }, [
    "release.json",
    ...files.map((file) => file.path),
  ]);
  const chunks: Buffer[] = [];
  for await (const chunk of packed) chunks.push(chunk);
  const answer = await callAdmin(access, "PUT", `/api/v1/sections/${name}/releases/${encodeURIComponent(version)}`, {
    type: "application/gzip",
    bytes: new Uint8Array(Buffer.concat(chunks)),
  });
  return { name, version, isNew: answer.status === 201 };
}
