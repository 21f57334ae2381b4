import { expect, test } from "../support/fixtures";
import { MISSING, SCREENS } from "../support/screens";

/** What a document says without any script. */
async function readRaw(response: { text(): Promise<string> }): Promise<{ html: string; head: string; body: string }> {
  const html = await response.text();
  const [head = "", body = ""] = html.split("</head>");
  return { html, head, body };
}

for (const { name, path, heading } of SCREENS) {
  test(`${name}: status, head and text are there without script`, async ({ page, site }) => {
    const response = await page.request.get(path);
    expect(response.status()).toBe(200);
    const { head, body } = await readRaw(response);
    expect(body.replaceAll("<!-- -->", "")).toContain(heading);
    expect(/<title>([^<]+)<\/title>/.exec(head)?.[1]).toMatch(/Colonnade Directory/);
    expect(head).toMatch(/<meta data-head="" name="description" content="[^"]+">/);
    expect(head).toMatch(/<link data-head="" rel="canonical" href="http:\/\/[^"]+">/);
    expect(head).toContain('<meta name="rating" content="adult">');
    expect(body).toContain("18+ only");
    expect(body).not.toContain("needs JavaScript");
    expect(response.headers()["content-security-policy"]).toContain("style-src 'self' 'sha256-");
    expect(site.rendered).toBe(true);
  });
}

for (const { name, path, heading } of MISSING) {
  test(`${name}: HTTP 404, noindex, and the screen`, async ({ page }) => {
    const response = await page.request.get(path);
    expect(response.status()).toBe(404);
    const { head, body } = await readRaw(response);
    expect(body).toContain(heading);
    expect(head).toContain('<meta data-head="" name="robots" content="noindex">');
    expect(head).not.toContain("canonical");
  });
}

for (const path of [
  "/state/California",
  "/city/Texas/Houston",
  "/city/Texas/Houston/ad/4251",
  "/about-escort-babylon/safety-guide",
]) {
  test(`${path} has its trail as JSON-LD`, async ({ page }) => {
    const { head } = await readRaw(await page.request.get(path));
    const block = /<script data-head="" type="application\/ld\+json">(.*?)<\/script>/.exec(head)?.[1] ?? "";
    const list = JSON.parse(block) as { itemListElement: { position: number; name: string; item: string }[] };
    expect(list).toMatchObject({ "@context": "https://schema.org", "@type": "BreadcrumbList" });
    expect(list.itemListElement.map(({ position }) => position)).toEqual(
      list.itemListElement.map((_, index) => index + 1),
    );
    expect(decodeURI(new URL(list.itemListElement.at(-1)?.item ?? "").pathname)).toBe(path);
  });
}

test("HEAD answers as GET does, and what is unchanged is not sent again", async ({ page }) => {
  const whole = await page.request.get("/state/California");
  const head = await page.request.head("/state/California");
  expect(head.headers()).toMatchObject({ etag: whole.headers().etag, "content-type": whole.headers()["content-type"] });
  const again = await page.request.get("/state/California", {
    headers: { "if-none-match": whole.headers().etag ?? "" },
  });
  expect(again.status()).toBe(304);
});
