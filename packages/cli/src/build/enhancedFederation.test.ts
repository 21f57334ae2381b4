import { expect, test } from "vitest";

import { temporaryFolder } from "../../fixtures/temporary.js";
import { enhancedFederation } from "./enhancedFederation.js";
import { UsageError } from "./usageError.js";

test("without the package, the error has the command that installs it", async () => {
  const folder = await temporaryFolder();
  expect(() => enhancedFederation(folder, {})).toThrow(
    new UsageError(
      `${folder}: federation: "enhanced" needs @module-federation/enhanced, which is not installed; run \`npm install --save-dev @module-federation/enhanced@2\``,
    ),
  );
});
