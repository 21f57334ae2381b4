import type { Ad, AdSet, EvidenceRecord } from "./ad";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

type Fields = Readonly<Record<string, unknown>>;

function fail(where: string, expected: string): never {
  throw new Error(`content/ads.json: ${where}: ${expected}`);
}

function fields(value: unknown, where: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(where, "expected an object");
  return value as Fields;
}

function text(value: unknown, where: string): string {
  return typeof value === "string" && value.trim() !== "" ? value : fail(where, "expected some text");
}

function integer(value: unknown, where: string, least: number): number {
  const isOne = typeof value === "number" && Number.isSafeInteger(value) && value >= least;
  return isOne ? value : fail(where, `expected a whole number, ${String(least)} or more`);
}

function evidence(value: unknown, where: string): EvidenceRecord {
  const { what, on } = fields(value, where);
  const day = text(on, `${where}.on`);
  if (!DAY.test(day)) fail(`${where}.on`, "expected a day as YYYY-MM-DD");
  return { what: text(what, `${where}.what`), on: day };
}

function photos(value: unknown, where: string): readonly [string, string] {
  const [first, second, ...more] = Array.isArray(value) ? (value as unknown[]) : fail(where, "expected a list");
  if (more.length > 0) fail(where, "expected two pictures");
  return [text(first, `${where}[0]`), text(second, `${where}[1]`)];
}

function checkAd(value: unknown, featured: boolean): Ad {
  const raw = fields(value, featured ? "a featured ad" : "a regular ad");
  const id = integer(raw.id, "an ad's id", 1);
  const where = `ad ${String(id)}`;
  if (!featured && raw.photos !== undefined) fail(where, "only featured ads have photos");
  const ad = {
    id,
    age: integer(raw.age, `${where}, age`, 18),
    title: text(raw.title, `${where}, title`),
    description: text(raw.description, `${where}, description`),
    featured,
    ...(featured && { photos: photos(raw.photos, `${where}, photos`) }),
  };
  const { sample, verification, reviews } = raw;
  if (typeof sample !== "boolean") fail(`${where}, sample`, "expected true or false");
  if (!sample) {
    return {
      ...ad,
      sample,
      ...(verification !== undefined && { verification: evidence(verification, `${where}, verification`) }),
      ...(reviews !== undefined && { reviews: evidence(reviews, `${where}, reviews`) }),
    };
  }
  if (verification !== undefined) fail(where, "a sample cannot carry a verification record");
  if (reviews !== undefined) fail(where, "a sample cannot carry evidence of reviews");
  return { ...ad, sample };
}

/**
 * Reads the ads from what the content file holds.
 *
 * @throws Error when an ad breaks a rule: above all, when a sample claims to be verified or reviewed. It is
 * thrown while the section's modules load, and so while the section is built.
 */
export function checkAds(value: unknown): AdSet {
  const raw = fields(value, "the file");
  const list = (name: string, featured: boolean): Ad[] => {
    const items = raw[name];
    return (Array.isArray(items) ? (items as unknown[]) : fail(name, "expected a list")).map((item) =>
      checkAd(item, featured),
    );
  };
  const ads = { featured: list("featured", true), regular: list("regular", false) };
  const ids = [...ads.featured, ...ads.regular].map((ad) => ad.id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) fail(`ad ${String(repeated)}`, "another ad has the same id");
  return ads;
}
