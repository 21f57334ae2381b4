import * as tar from "tar";

/** Writes a compressed tar archive of `files`, paths relative to `folder`. Equal inputs give equal bytes. */
export async function pack(file: string, folder: string, files: readonly string[]): Promise<void> {
  await tar.create({ file, cwd: folder, gzip: { level: 9 }, portable: true, mtime: new Date(0) }, [...files]);
}
