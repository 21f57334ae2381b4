import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { UsageError } from "./usageError.js";

/** An icon of the site, for the web app manifest or for iOS home screens. */
export interface IconConfig {
  /** Path of a square PNG, relative to the package. */
  readonly file: string;
  /** `any` and `maskable` as in the web app manifest. `touch` is the document's `apple-touch-icon`. */
  readonly purpose: (typeof PURPOSES)[number];
}

/** The image in link previews (`og:image`). */
export interface SocialImageConfig {
  /** Path of a PNG, relative to the package. */
  readonly file: string;
  /** Alternative text. */
  readonly alt: string;
}

/** Theme color of the browser's UI (`theme-color`), as `#rrggbb`. */
export interface ThemeColor {
  /** In light mode. */
  readonly light: string;
  /** In dark mode. */
  readonly dark: string;
}

/** Image settings in the shell's `section.config.js`. */
export interface ImageConfig {
  readonly icons?: readonly IconConfig[];
  readonly socialImage?: SocialImageConfig;
  readonly themeColor?: ThemeColor;
}

/** Image settings in `release.json`. File paths are relative to the release folder; sizes are in pixels. */
export interface ReleaseImages {
  readonly icons?: readonly (IconConfig & { readonly size: number })[];
  readonly socialImage?: SocialImageConfig & { readonly width: number; readonly height: number };
  readonly themeColor?: ThemeColor;
}

type Fields = Readonly<Record<string, unknown>>;

/** Keys of {@link ImageConfig}. */
export const IMAGE_KEYS = ["icons", "socialImage", "themeColor"] as const;
const PURPOSES = ["any", "maskable", "touch"] as const;
const EXPECTED = {
  icons: `a list of { file, purpose } with purpose any, maskable or touch`,
  socialImage: "{ file, alt }",
  themeColor: "{ light, dark }, each #rrggbb",
} as const;

function isFields(value: unknown, ...keys: string[]): value is Record<string, string> {
  if (typeof value !== "object" || value === null) return false;
  const entries = Object.entries(value);
  return entries.length === keys.length && entries.every(([key, entry]) => keys.includes(key) && isNonBlank(entry));
}

function isNonBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function isIcon(value: unknown): value is IconConfig {
  return isFields(value, "file", "purpose") && PURPOSES.some((purpose) => purpose === value.purpose);
}

const CHECKS: Readonly<Record<keyof typeof EXPECTED, (value: unknown) => boolean>> = {
  icons: (value) => Array.isArray(value) && value.every(isIcon),
  socialImage: (value) => isFields(value, "file", "alt"),
  themeColor: (value) =>
    isFields(value, "light", "dark") && Object.values(value).every((color) => /^#[0-9a-f]{6}$/i.test(color)),
};

/**
 * Checks the image settings of a configuration. `file` is the configuration's path, for error messages.
 *
 * @throws UsageError if a value is invalid.
 */
export function checkImages(file: string, config: Fields): void {
  for (const key of IMAGE_KEYS) {
    const value = config[key];
    if (value !== undefined && !CHECKS[key](value))
      throw new UsageError(`${file}: ${key} is ${JSON.stringify(value)}; expected ${EXPECTED[key]}`);
  }
}

/**
 * Copies a package's images into its release. The copies' names contain a content hash.
 *
 * @throws UsageError if a file is missing or not a PNG, or an icon is not square.
 */
export async function copyImages(folder: string, output: string, config: ImageConfig): Promise<ReleaseImages> {
  const { icons, socialImage, themeColor } = config;
  const copied = icons?.map(async ({ file, purpose }) => {
    const { name, width, height } = await copy(folder, output, file);
    if (width !== height)
      throw new UsageError(`the icon ${file} is ${String(width)} × ${String(height)} pixels; expected a square`);
    return { file: name, size: width, purpose };
  });
  const social = socialImage && (await copy(folder, output, socialImage.file));
  return {
    ...(copied && { icons: await Promise.all(copied) }),
    ...(social && {
      socialImage: { file: social.name, width: social.width, height: social.height, alt: socialImage.alt },
    }),
    ...(themeColor && { themeColor }),
  };
}

interface CopiedImage {
  /** Path relative to the release folder. */
  readonly name: string;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
}

async function copy(folder: string, output: string, file: string): Promise<CopiedImage> {
  const bytes = await readFile(path.join(folder, file)).catch(() => {
    throw new UsageError(`the image ${file} does not exist in ${folder}; expected a PNG file`);
  });
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  const name = `client/${path.parse(file).name}.${digest}.png`;
  await mkdir(path.join(output, "client"), { recursive: true });
  await writeFile(path.join(output, name), bytes);
  return { name, ...dimensionsOf(file, bytes) };
}

// PNG (W3C, third edition), 5.2 and 11.2.1: signature, then an IHDR chunk with width and height.
function dimensionsOf(file: string, bytes: Buffer): Pick<CopiedImage, "width" | "height"> {
  if (bytes.length < 24 || bytes.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n")
    throw new UsageError(`the image ${file} is not a PNG file`);
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
