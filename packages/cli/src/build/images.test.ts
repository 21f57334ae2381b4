import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import { expect, test } from "vitest";

import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { copyImages } from "./images.js";

/** The header of a PNG of this size. The build reads only the header. */
function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33);
  bytes.write("\x89PNG\r\n\x1a\n", 0, "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

async function packageWith(
  files: Readonly<Record<string, Buffer | string>>,
): Promise<{ folder: string; output: string }> {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  return { folder, output: path.join(folder, "release") };
}

test("copyImages copies to content-hashed names and reads sizes", async () => {
  const files = { "art/icon.png": png(192, 192), "art/shared.png": png(1200, 630) };
  const { folder, output } = await packageWith(files);
  const themeColor = { light: "#ffffff", dark: "#000000" };
  const copied = await copyImages(folder, output, {
    icons: [{ file: "./art/icon.png", purpose: "any" }],
    socialImage: { file: "./art/shared.png", alt: "A bridge" },
    themeColor,
  });
  expect(copied).toEqual({
    icons: [{ file: expect.stringMatching(/^client\/icon\.[0-9a-f]{8}\.png$/) as string, size: 192, purpose: "any" }],
    socialImage: {
      file: expect.stringMatching(/^client\/shared\.[0-9a-f]{8}\.png$/) as string,
      width: 1200,
      height: 630,
      alt: "A bridge",
    },
    themeColor,
  });
  expect(await readFile(path.join(output, copied.socialImage?.file ?? ""))).toEqual(files["art/shared.png"]);
});

test("copyImages without images creates no files", async () => {
  const { folder, output } = await packageWith({});
  expect(await copyImages(folder, output, {})).toEqual({});
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ["missing.png", "the image missing.png does not exist"],
  ["text.png", "the image text.png is not a PNG file"],
  ["wide.png", "the icon wide.png is 20 × 10 pixels; expected a square"],
])("copyImages rejects the icon %s", async (file, problem) => {
  const { folder, output } = await packageWith({ "text.png": "no picture", "wide.png": png(20, 10) });
  await expect(copyImages(folder, output, { icons: [{ file, purpose: "any" }] })).rejects.toThrow(problem);
});
