import path from "node:path";

import { deployAltered } from "../support/altered-release";
import { test } from "../support/own-site";
import { ROOT } from "../support/repository.mjs";
import { expectFallback, expectOtherSectionsWork } from "./expectations";

// Text of the section's entry, and a replacement that the shell must reject.
const MISMATCHES = [
  { what: "implements a later contract", original: "contract:1", altered: "contract:2" },
  { what: "implements an earlier contract", original: "contract:1", altered: "contract:0" },
  { what: "names no contract", original: "contract:1", altered: "another:1" },
  { what: "claims another name", original: 'name:"legal"', altered: 'name:"other"' },
  { what: "lacks a page of its release", original: '"/terms":', altered: '"/other":' },
];

// View transitions between the sections take a quarter of the CPU time, and damaged-files.test.ts runs them.
test.use({ reducedMotion: "reduce" });

test("The shell rejects a section with another contract or release", async ({ page, startOwnSite }) => {
  test.setTimeout(120_000);
  const own = await startOwnSite();
  for (const { what, original, altered } of MISMATCHES) {
    await test.step(`The section ${what}`, async () => {
      let replaced = 0;
      await deployAltered(own, path.join(ROOT, "mfe-legal"), (file, text) => {
        if (!file.startsWith("client/section.")) return text;
        replaced += text.split(original).length - 1;
        return text.replace(original, altered);
      });
      test.expect(replaced).toBe(1);
      await page.goto(`${own.url}/terms`);
      await expectFallback(page);
      await expectOtherSectionsWork(page, "legal");
    });
  }
});
