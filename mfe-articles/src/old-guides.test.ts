import { afterEach, expect, it, vi } from "vitest";

import { warnOfOldGuides } from "../scripts/old-guides.mjs";

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ["2027-11-26T00:00:00Z", 0],
  ["2029-01-01T00:00:00Z", 9],
])("on %s the build warns of %i guides", (now, count) => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  warnOfOldGuides(new Date(now));
  expect(warn).toHaveBeenCalledTimes(count);
  if (count > 0) expect(warn).toHaveBeenCalledWith(expect.stringMatching(/^content\/escort-experiences\.md was last/));
});
