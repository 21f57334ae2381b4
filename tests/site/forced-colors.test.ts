import { expect, test } from "../support/fixtures";
import { open } from "../support/screens";
import { openDialog } from "../support/signup";

test.use({ forcedColors: "active" });

test("Dialog and invalid fields keep an edge in forced colors", async ({ page }) => {
  await open(page, { name: "success", path: "/success", heading: "Your account" });
  const dialog = await openDialog(page);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByText("Enter your age as a whole number from 18 to 120.")).toBeVisible();
  await expect(dialog).toHaveCSS("border-top-style", "solid");
  await expect(dialog.getByLabel("Email")).toHaveCSS("border-top-style", "solid");
  await expect(dialog.getByLabel("Email")).toHaveCSS("border-top-width", "3px");
  // Text, because colors carry no meaning here.
  await expect(dialog.getByText("Enter your email address.")).toBeVisible();
});
