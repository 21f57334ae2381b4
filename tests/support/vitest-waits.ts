// Component tests wait as long as a busy machine needs. The default is a second.
import { vi } from "vitest";

// Shorter than the limit of a test, so that a failed test says what it has waited for.
const LIMIT = 15_000;

const { waitFor } = vi;
vi.waitFor = (callback, options = LIMIT) => waitFor(callback, options);

if (typeof document !== "undefined") {
  const { configure } = await import("@testing-library/dom");
  configure({ asyncUtilTimeout: LIMIT });
}
