// Screenshots of the components. They are the same on any machine with Chromium: font, size and scale are fixed, and
// nothing moves.
import { expect } from "@playwright/test";

import { test } from "../support/gallery";
import { COMPONENTS } from "./components";

for (const name of COMPONENTS) {
  test(`${name} looks unchanged in light and dark`, async ({ gallery }) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await gallery.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expect
        .soft(gallery.getByRole("region", { name, exact: true }))
        .toHaveScreenshot(`${name.toLowerCase().replace(" ", "-")}-${colorScheme}.png`);
    }
  });
}
