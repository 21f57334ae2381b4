import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { UsageError } from "./problem.js";

/** An icon of the site for home screens, as the shell's `section.config.js` names it. */
export interface IconConfig {
  /** A square PNG, relative to the package. */
  readonly file: string;
  /** `any` and `maskable` as in a web manifest; `touch` is the document's `apple-touch-icon`. */
  readonly purpose: (typeof PURPOSES)[number];
}

/** What is shown of the site where a page of it is shared. */
export interface SocialImageConfig {
  /** A PNG, relative to the package. */
  readonly file: string;
  /** What is to be seen on it. */
  readonly alt: string;
}

/** What browsers colour their own surroundings of a page with, as `#rrggbb`. */
export interface ThemeColor {
  readonly light: string;
  readonly dark: string;
}

/** What the shell alone has besides its code. */
export interface Pictures {
  readonly icons?: readonly IconConfig[];
  readonly socialImage?: SocialImageConfig;
  readonly themeColor?: ThemeColor;
}

/** The same in `release.json`: files are below the release folder, and their sizes in pixels. */
export interface ReleasePictures {
  readonly icons?: readonly (IconConfig & { readonly size: number })[];
  readonly socialImage?: SocialImageConfig & { readonly width: number; readonly height: number };
  readonly themeColor?: ThemeColor;
}

type Fields = Readonly<Record<string, unknown>>;

/** The keys of {@link Pictures}. */
export const PICTURE_KEYS = ["icons", "socialImage", "themeColor"] as const;
const PURPOSES = ["any", "maskable", "touch"] as const;
const EXPECTED = {
  icons: `the shell's list of { file, purpose }, purpose one of ${PURPOSES.join(", ")}`,
  socialImage: "the shell's { file, alt }",
  themeColor: "the shell's { light, dark }, each as #rrggbb",
} as const;

function isFields(value: unknown, ...keys: string[]): value is Record<string, string> {
  if (typeof value !== "object" || value === null) return false;
  const entries = Object.entries(value);
  return entries.length === keys.length && entries.every(([key, entry]) => keys.includes(key) && isText(entry));
}

function isText(value: unknown): boolean {
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
 * Reads them from a configuration.
 *
 * @throws UsageError naming the file, the key and what was expected.
 */
export function readPictures(file: string, config: Fields, kind: "section" | "shell"): Pictures {
  const pictures: Record<string, unknown> = {};
  for (const key of PICTURE_KEYS) {
    const value = config[key];
    if (value === undefined) continue;
    if (kind !== "shell" || !CHECKS[key](value))
      throw new UsageError(`${file}: ${key} is ${JSON.stringify(value)}; expected ${EXPECTED[key]}`);
    pictures[key] = value;
  }
  return pictures;
}

/**
 * Copies the pictures of a package into its release, under names that hold a digest.
 *
 * @throws UsageError when one is missing or no PNG, or an icon is not square.
 */
export async function copyPictures(folder: string, output: string, pictures: Pictures): Promise<ReleasePictures> {
  const { icons, socialImage, themeColor } = pictures;
  const copied = icons?.map(async ({ file, purpose }) => {
    const { name, width, height } = await copy(folder, output, file);
    if (width !== height)
      throw new UsageError(`${file} has ${String(width)} by ${String(height)} pixels; expected a square icon`);
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

interface Copied {
  /** Below the release folder. */
  readonly name: string;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
}

async function copy(folder: string, output: string, file: string): Promise<Copied> {
  const bytes = await readFile(path.join(folder, file)).catch(() => {
    throw new UsageError(`the picture ${file} is not there; expected a PNG below ${folder}`);
  });
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  const name = `client/${path.parse(file).name}.${digest}.png`;
  await mkdir(path.join(output, "client"), { recursive: true });
  await writeFile(path.join(output, name), bytes);
  return { name, ...dimensionsOf(file, bytes) };
}

// PNG (W3C, third edition), 5.2 and 11.2.1: signature, then the chunk IHDR with width and height.
function dimensionsOf(file: string, bytes: Buffer): Pick<Copied, "width" | "height"> {
  if (bytes.length < 24 || bytes.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n")
    throw new UsageError(`the picture ${file} is no PNG`);
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
