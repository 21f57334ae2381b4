import { test } from "../support/beside";
import { findFile, replace } from "../support/damage";
test("debug", async ({ page, beside, complaints }) => {
  const own = await beside();
  const file = await findFile(own, "legal", "/terms", "entry");
  await replace(file, "console.log('EXECUTED', document.currentScript?.outerHTML)");
  page.on("console", (m) => console.log(m.type(), m.text().slice(0, 300)));
  await page.addInitScript(() => {
    new MutationObserver((rs) => { for (const r of rs) for (const n of r.addedNodes) if (n instanceof HTMLElement && /SCRIPT|LINK/.test(n.tagName)) console.log("added", n.outerHTML.slice(0, 300)); }).observe(document, { childList: true, subtree: true });
  });
  page.on("request", (r) => { if (r.url().includes("entry")) console.log("REQ", r.resourceType(), r.url()); });
  await page.goto(own.url + "/terms");
  await page.getByRole("button", { name: "Try again" }).waitFor();
  console.log("---- retry");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForTimeout(3000);
  complaints.errors.length = 0;
});
