import path from "node:path";

import { test } from "../support/beside";
import { deployAltered } from "../support/releases";
import { ROOT } from "../support/repository.mjs";
import { expectFallback, expectOthersWork } from "./expectations";

// What a release's section says about itself, and what it must not say to this shell.
const MISMATCHES = [
  { what: "was written for a later contract", said: "contract:1", instead: "contract:2" },
  { what: "was written for an earlier contract", said: "contract:1", instead: "contract:0" },
  { what: "names no contract", said: "contract:1", instead: "another:1" },
  { what: "says it is another section", said: 'name:"legal"', instead: 'name:"other"' },
  { what: "lacks a page that its release names", said: '"/terms":', instead: '"/other":' },
];

for (const { what, said, instead } of MISMATCHES) {
  test(`a section that ${what} is not shown, and everything else is`, async ({ page, beside }) => {
    const own = await beside();
    let altered = 0;
    await deployAltered(own, path.join(ROOT, "mfe-legal"), (file, text) => {
      if (!file.startsWith("client/section.")) return text;
      altered += text.split(said).length - 1;
      return text.replace(said, instead);
    });
    test.expect(altered).toBe(1);
    await page.goto(`${own.url}/terms`);
    await expectFallback(page);
    await expectOthersWork(page, "legal");
  });
}
