import type { Ad, AdSet, EvidenceRecord } from "./ad";

const DATE = /^\d{4}-\d{2}-\d{2}$/;

type Fields = Readonly<Record<string, unknown>>;

function fail(path: string, expected: string): never {
  throw new Error(`content/ads.json: ${path}: ${expected}`);
}

function fields(value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(path, "expected an object");
  return value as Fields;
}

function text(value: unknown, path: string): string {
  return typeof value === "string" && value.trim() !== "" ? value : fail(path, "expected a non-empty string");
}

function integer(value: unknown, path: string, min: number): number {
  const isValid = typeof value === "number" && Number.isSafeInteger(value) && value >= min;
  return isValid ? value : fail(path, `expected an integer of at least ${String(min)}`);
}

function evidence(value: unknown, path: string): EvidenceRecord {
  const { what, on } = fields(value, path);
  const date = text(on, `${path}.on`);
  if (!DATE.test(date)) fail(`${path}.on`, "expected a date as YYYY-MM-DD");
  return { what: text(what, `${path}.what`), on: date };
}

function photos(value: unknown, path: string): readonly [string, string] {
  const [first, second, ...more] = Array.isArray(value) ? (value as unknown[]) : fail(path, "expected a list");
  if (more.length > 0) fail(path, "expected two pictures");
  return [text(first, `${path}[0]`), text(second, `${path}[1]`)];
}

function checkAd(value: unknown, featured: boolean): Ad {
  const raw = fields(value, featured ? "a featured ad" : "a regular ad");
  const id = integer(raw.id, "an ad's id", 1);
  const path = `ad ${String(id)}`;
  if (!featured && raw.photos !== undefined) fail(path, "only featured ads have photos");
  const ad = {
    id,
    age: integer(raw.age, `${path}, age`, 18),
    title: text(raw.title, `${path}, title`),
    description: text(raw.description, `${path}, description`),
    featured,
    ...(featured && { photos: photos(raw.photos, `${path}, photos`) }),
  };
  const { sample, verification, reviews } = raw;
  if (typeof sample !== "boolean") fail(`${path}, sample`, "expected true or false");
  if (!sample) {
    return {
      ...ad,
      sample,
      ...(verification !== undefined && { verification: evidence(verification, `${path}, verification`) }),
      ...(reviews !== undefined && { reviews: evidence(reviews, `${path}, reviews`) }),
    };
  }
  if (verification !== undefined) fail(path, "a sample cannot carry a verification record");
  if (reviews !== undefined) fail(path, "a sample cannot carry evidence of reviews");
  return { ...ad, sample };
}

/**
 * Validates the contents of content/ads.json.
 *
 * @throws Error if an ad is invalid; in particular, if a sample claims to be verified or reviewed. The build runs it
 * with the examples of a city's page, and fails. Releases for browsers do not contain it.
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
