import { nearNames, unknownKey } from "./nearNames.js";
import { UsageError } from "./usageError.js";

/** The browser features that documents are denied, unless the operator permits them: gateway/crates/model/src/policy.rs. */
export const FEATURES = [
  "accelerometer",
  "autoplay",
  "camera",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "geolocation",
  "gyroscope",
  "hid",
  "idle-detection",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "picture-in-picture",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "sync-xhr",
  "usb",
  "xr-spatial-tracking",
] as const;

/** A browser feature that documents are denied by default. */
export type BrowserFeature = (typeof FEATURES)[number];

/**
 * What the documents of a package need in addition to the strict default. The operator permits it in `[policy]` of site.toml. A host
 * is one of https, such as `cdn.example.com`, `*.example.com` or `localhost:3000`. Of images and media, `blob:` stands for URLs that
 * scripts create, and `data:` for those with the file in their text, also of fonts.
 */
export interface ContentPolicy {
  /** Hosts of images, `blob:` and `data:`. */
  readonly images?: readonly string[];
  /** Hosts of fonts, and `data:`. */
  readonly fonts?: readonly string[];
  /** Hosts that scripts request, also with WebSocket. */
  readonly connections?: readonly string[];
  /** Hosts of frames. */
  readonly frames?: readonly string[];
  /** Hosts of audio and video, `blob:` and `data:`. */
  readonly media?: readonly string[];
  /** `style` attributes in HTML. */
  readonly styleAttributes?: boolean;
  /** Style elements with any text, or with that of hashes such as `sha256-…`. */
  readonly styleElements?: boolean | readonly string[];
  /** Workers whose script is a `blob:` URL. */
  readonly workers?: boolean;
  /** Browser features that scripts of the site's own origin use. */
  readonly features?: readonly BrowserFeature[];
  /** `report` if browsers only report violations of Trusted Types. Default: `enforce`. */
  readonly trustedTypes?: "enforce" | "report";
}

const LABEL = "[a-z0-9]([a-z0-9-]*[a-z0-9])?";
const PORT = "[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]";
/** The pattern of a host, as in docs/spec/release.schema.json. */
export const HOST = `^(?=[^:]{1,253}(:|$))(localhost|(\\*\\.)?${LABEL}(\\.${LABEL})+)(:(${PORT}))?$`;
/** The pattern of a hash, as there. */
export const HASH = "^(sha256-[A-Za-z0-9+/=]{44}|sha384-[A-Za-z0-9+/=]{64}|sha512-[A-Za-z0-9+/=]{88})$";
/** The most values of a key, as there. */
export const MAX_VALUES = 32;

/** The schemes that a key can have besides hosts, as there. */
export const SCHEMES: Readonly<Partial<Record<keyof ContentPolicy, readonly string[]>>> = {
  images: ["blob:", "data:"],
  fonts: ["data:"],
  media: ["blob:", "data:"],
};

type Check = readonly [isValid: (value: unknown) => boolean, expected: string];

function hostsOf(key: keyof ContentPolicy): Check {
  const schemes = SCHEMES[key] ?? [];
  const quoted = schemes.map((scheme) => `, or "${scheme}"`).join("");
  return [
    isListOf([HOST, ...schemes.map((scheme) => `^${scheme}$`)].join("|")),
    `a list of at most ${String(MAX_VALUES)} hosts, such as "cdn.example.com" or "*.example.com"${quoted}`,
  ];
}

const BOOLEAN: Check = [(value) => typeof value === "boolean", "a boolean"];
const CHECKS: Readonly<Record<keyof ContentPolicy, Check>> = {
  images: hostsOf("images"),
  fonts: hostsOf("fonts"),
  connections: hostsOf("connections"),
  frames: hostsOf("frames"),
  media: hostsOf("media"),
  styleAttributes: BOOLEAN,
  styleElements: [
    (value) => typeof value === "boolean" || isListOf(HASH)(value),
    `a boolean, or a list of at most ${String(MAX_VALUES)} hashes, such as "sha256-…"`,
  ],
  workers: BOOLEAN,
  features: [isListOf(`^(${FEATURES.join("|")})$`), `a list of ${FEATURES.join(", ")}`],
  trustedTypes: [(value) => value === "enforce" || value === "report", '"enforce" or "report"'],
};

function isListOf(pattern: string) {
  const expression = new RegExp(pattern);
  return (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length <= MAX_VALUES &&
    value.every((item) => typeof item === "string" && expression.test(item));
}

/** @throws UsageError if the value of `policy` in a configuration is invalid. */
export function checkPolicy(file: string, policy: unknown): asserts policy is ContentPolicy {
  if (typeof policy !== "object" || policy === null || Array.isArray(policy))
    throw new UsageError(`${file}: policy is ${JSON.stringify(policy)}; expected { images: ["cdn.example.com"] }`);
  for (const [key, value] of Object.entries(policy)) {
    const check = Object.hasOwn(CHECKS, key) ? CHECKS[key as keyof ContentPolicy] : undefined;
    if (!check) throw new UsageError(`${file}: policy has the ${unknownKey(Object.keys(CHECKS), key)}`);
    const [isValid, expected] = check;
    if (!isValid(value)) {
      const near = key === "features" ? nearFeature(value) : undefined;
      const advice = near === undefined ? `expected ${expected}` : `did you mean "${near}"?`;
      throw new UsageError(`${file}: policy.${key} is ${JSON.stringify(value)}; ${advice}`);
    }
  }
}

/** The feature with a similar name to the first unknown one of a list. */
function nearFeature(names: unknown): string | undefined {
  const unknown: unknown = Array.isArray(names)
    ? names.find((name) => !(FEATURES as readonly unknown[]).includes(name))
    : undefined;
  return typeof unknown === "string" ? nearNames(FEATURES, unknown)[0] : undefined;
}
