// A section with images of another host, styles in HTML, and code from strings, as the operator permits it.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { Page } from "@playwright/test";

import { waitForHydration } from "../support/hydration";
import { expect, test } from "../support/own-site";
import { sectionCommand, writeSection, type SectionFiles } from "../support/section-command";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';

/** The policy of a section with images of `host`. */
const policyOf = (host: string) => ({
  images: [host],
  styleAttributes: true,
  styleElements: true,
  workers: true,
  features: ["fullscreen"],
});

function photos(host: string): SectionFiles {
  return {
    "package.json": JSON.stringify({ version: "1.0.0", private: true, type: "module" }),
    "section.config.js": `export default { name: "photos", entry: "./src/section.ts", policy: ${JSON.stringify(policyOf(host))} };`,
    "src/section.ts": `
import { defineSection } from "@colonnade/kit";
export default defineSection({
  name: "photos",
  contract: 1,
  pages: { "/photos": () => import("./page") },
  navigation: [{ to: "shell/footer", label: "Photos", path: "/photos" }],
});`,
    "src/page.tsx": `
import { definePage } from "@colonnade/kit";
import { useRef, useState } from "react";

// As some libraries of components do.
function Late() {
  return <style dangerouslySetInnerHTML={{ __html: ".photos_late { color: rgb(7, 8, 9) }" }} />;
}

function Photos() {
  const [isLate, setLate] = useState(false);
  const output = useRef<HTMLOutputElement>(null);
  const work = () => {
    const url = URL.createObjectURL(new Blob(["postMessage(6 * 7)"]));
    new Worker(url).onmessage = ({ data }) => { if (output.current) output.current.textContent = String(data); };
  };
  return (
    <>
      <h1 style={{ color: "rgb(1, 2, 3)" }}>Photos</h1>
      <style>{".photos_early { color: rgb(4, 5, 6) }"}</style>
      <p className="photos_early">Early</p>
      <p className="photos_late">Late</p>
      <img src="http://${host}/a.svg" alt="A photo" />
      <button onClick={() => { setLate(true); work(); }}>Go</button>
      {isLate && <Late />}
      <button onClick={() => void document.documentElement.requestFullscreen()}>Full screen</button>
      <output ref={output} />
    </>
  );
}

export const page = definePage({
  data: () => null,
  head: () => ({ title: "Photos", description: "Photos", canonical: "/photos" }),
  Component: Photos,
});`,
  };
}

/** Expects the page with all that the strict policy blocks. */
async function expectPhotos(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toHaveCSS("color", "rgb(1, 2, 3)");
  await expect(page.getByText("Early")).toHaveCSS("color", "rgb(4, 5, 6)");
  await expect
    .poll(() => page.getByAltText("A photo").evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(9);
  await waitForHydration(page);
  await page.getByRole("button", { name: "Go" }).click();
  await expect(page.getByText("Late", { exact: true })).toHaveCSS("color", "rgb(7, 8, 9)");
  await expect(page.locator("output")).toHaveText("42");
  await page.getByRole("button", { name: "Full screen" }).click();
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.localName)).toBe("html");
  await page.evaluate(() => document.exitFullscreen());
}

const mark = (page: Page): Promise<void> =>
  page.evaluate(() => {
    Object.assign(window, { sameDocument: true });
  });
const isSame = (page: Page): Promise<boolean> => page.evaluate(() => "sameDocument" in window);

test("A section has what the operator permits, in documents of its own", async ({ page, startOwnSite, folder }) => {
  const images = createServer((_, response) => {
    response.writeHead(200, { "content-type": "image/svg+xml" }).end(SVG);
  });
  images.listen(0, "127.0.0.1");
  await once(images, "listening");
  const host = `127.0.0.1:${String((images.address() as AddressInfo).port)}`;
  const { images: hosts, features } = policyOf(host);
  const permitted = { images: hosts, style_attributes: true, style_elements: true, workers: true, features };
  const own = await startOwnSite({ config: { policy: { sections: { photos: permitted } } } });
  const section = sectionCommand(own.access);
  const written = await writeSection(folder, "photos", photos(host));
  await section(written, "build");
  await section(written, "publish");
  await section(written, "deploy");

  await page.goto(own.url);
  await waitForHydration(page);
  await mark(page);
  await page.getByRole("contentinfo").getByRole("link", { name: "Photos" }).click();
  await expectPhotos(page);
  expect(await isSame(page)).toBe(false);

  // The other way, the document has what the page needs.
  await mark(page);
  await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
  await expect(page).toHaveURL(`${own.url}/terms`);
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Photos");
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Photos");
  expect(await isSame(page)).toBe(true);

  // Back from a document that may do less.
  await page.goForward();
  await page.reload();
  await waitForHydration(page);
  await mark(page);
  await page.goBack();
  await expectPhotos(page);
  expect(await isSame(page)).toBe(false);
  images.close();
});
