import path from "node:path";
import { buffer } from "node:stream/consumers";

import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import * as tar from "tar";

import { RELEASE_FOLDER, type Release } from "../build/release.js";
import { adminAccess, callAdmin, locateAt, type AdminAccess } from "./api.js";
import type { CommandContext } from "./context.js";
import { locateErrors } from "./locate.js";
import { uploadProgress } from "./progress.js";
import { exists, missingFile, readCurrentRelease } from "./releases.js";
import { currentSource, parseSourceUrl, sourceHeader, type ReleaseSource } from "./source.js";

/** Result of a publish. */
export interface Published {
  /** Name of the section, or `shell`. */
  readonly name: string;
  /** Version of the release. */
  readonly version: string;
  /** False if the gateway already had this release. */
  readonly isNew: boolean;
  /** Conflicts with the live deployment. They do not prevent publishing. */
  readonly warnings: readonly string[];
}

/** Called during an upload with the number of bytes. */
export type OnProgress = (sent: number, total: number) => void;

/** Options of a publish. */
export interface PublishOptions {
  /** Where the release comes from. */
  readonly source?: ReleaseSource;
  /** Called during the upload. */
  readonly onProgress?: OnProgress;
}

/**
 * Uploads the release of the last build in `folder` to the gateway. Does not deploy it.
 *
 * @throws UsageError if there is no release, or if the sources in `folder` have changed since the build.
 */
export async function publish(
  folder: string,
  access: AdminAccess,
  { source = {}, onProgress }: PublishOptions = {},
): Promise<Published> {
  const release = await readCurrentRelease(folder);
  const { name, version } = release;
  const bytes = await pack(path.join(folder, RELEASE_FOLDER), release);
  const { status, body } = await callAdmin<{ warnings?: readonly string[] }>(
    access,
    "PUT",
    `/api/v1/sections/${name}/releases/${encodeURIComponent(version)}`,
    {
      type: "application/gzip",
      headers: { "colonnade-source": sourceHeader(source) },
      bytes,
      onSent: (sent) => onProgress?.(sent, bytes.length),
    },
  );
  const warnings = await locateErrors(locateAt(access), body.warnings ?? []);
  return { name, version, isNew: status === 201, warnings };
}

// Packed in memory first, so that the length is known and a missing file fails before the upload starts.
async function pack(folder: string, release: Release): Promise<Buffer> {
  const files = release.files.map((file) => file.path);
  for (const file of files) {
    if (!(await exists(path.join(folder, file)))) throw missingFile(path.join(folder, file));
  }
  return buffer(tar.create({ gzip: true, cwd: folder, portable: true }, ["release.json", ...files]));
}

/** Adds `colonnade publish`. */
export function addPublishCommand(
  program: CommandUnknownOpts,
  { folder, environment, stderr, printResult }: CommandContext,
): void {
  program
    .command("publish")
    .summary("upload the release in release/ to the gateway")
    .description(
      "Uploads the release in release/ to the gateway, which validates and stores it, or rejects it and reports every " +
        "problem. Publishing does not put a release live. Fails if the sources have changed since the build. The gateway " +
        "keeps the commit, the URL and the author with the release, and shows them to operators. By default they are those of " +
        "the job in GitHub Actions or GitLab CI, and otherwise the commit of Git.",
    )
    .option("--commit <id>", "commit that the release was built from")
    .option("--url <url>", "https URL of the commit, or of the job that built it", parseSourceUrl)
    .option("--author <name>", "who made the commit, or started the job")
    .action(async (given) => {
      const progress = uploadProgress(stderr);
      const source = { ...(await currentSource(folder, environment)), ...given };
      const options = { source, onProgress: progress.update };
      const published = await publish(folder, await adminAccess(environment), options).finally(progress.clear);
      const { name, version, isNew, warnings } = published;
      const text = `${name}@${version} ${isNew ? "is published" : "was already published"}`;
      printResult({ text, data: published, warnings });
    });
}
