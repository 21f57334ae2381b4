import { expect, test } from "../support/fixtures";
import { open, SCREENS } from "../support/screens";
import { openDialog } from "../support/signup";

test.use({ forcedColors: "active" });

for (const screen of SCREENS) {
  test(`${screen.name} keeps, in the visitor's own colours, the edges of its buttons and fields, and its focus ring`, async ({
    page,
  }) => {
    await open(page, screen);
    const bare = await page.locator("button, .button, input, .card").evaluateAll((elements) =>
      elements
        .filter((element) => element.checkVisibility())
        .filter((element) => {
          const { borderTopStyle, borderTopWidth, textDecorationLine } = getComputedStyle(element);
          const hasEdge = borderTopStyle !== "none" && parseFloat(borderTopWidth) >= 1;
          return !hasEdge && textDecorationLine === "none" && element.querySelector("svg") === null;
        })
        .map((element) => element.outerHTML.slice(0, 120)),
    );
    expect(bare, "nothing but colour says what these are").toEqual([]);
    await page.keyboard.press("Tab");
    await expect(page.locator(":focus")).toHaveCSS("outline-style", "solid");
  });
}

test("the dialog has an edge, and so has what is wrong in it", async ({ page }) => {
  await open(page, { name: "success", path: "/success", heading: "Thank you for signing up" });
  const dialog = await openDialog(page);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByText("Enter your age.")).toBeVisible();
  await expect(dialog).toHaveCSS("border-top-style", "solid");
  await expect(dialog.getByLabel("E-mail")).toHaveCSS("border-top-style", "solid");
  // In words, where colours say nothing.
  await expect(dialog.getByText("Enter your e-mail address.")).toBeVisible();
});
