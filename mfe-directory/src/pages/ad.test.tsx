import { isNotFound } from "@colonnade/kit";
import { loadData, type RenderedPage } from "@colonnade/kit/testing";
import { cleanup, screen, within } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { ADS } from "../data/ads";
import section from "../section";
import { renderExisting, textOf } from "../testing/page";
import { page } from "./ad";

const [AD] = ADS.regular;
const PATH = "/city/Alabama/Birmingham/ad/4251";

describe("ad page", () => {
  let view: RenderedPage;
  beforeAll(async () => {
    view = await renderExisting(PATH);
  });
  afterAll(cleanup);

  it("shows title, age, text with line breaks, and place", () => {
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(AD?.title);
    expect(screen.getByText(`Age: ${String(AD?.age)}`)).toBeTruthy();
    const texts = [...view.container.querySelectorAll("article p")].map((paragraph) => paragraph.textContent);
    expect(texts).toContain(AD?.description);
    expect(AD?.description).toContain("\n");
    expect(screen.getByText("Posted in Birmingham, Alabama")).toBeTruthy();
  });

  it("has the sample badge and says that it shows no real person", () => {
    expect(textOf(view.container.querySelector("article .badge.sample"))).toBe("Sample ad");
    expect(textOf(view.container.querySelector(".notice"))).toContain("a sample ad, not a real person");
  });

  it("has the extension point between the notice and the ad", async () => {
    cleanup();
    const extensions = { "directory/ad-aside@1": <p>Before you meet anyone</p> };
    view = await renderExisting(PATH, { extensions });
    const top = view.container.querySelector("article")?.parentElement;
    expect([...(top?.children ?? [])].map(textOf).slice(0, 2)).toEqual([
      "This is a sample ad, not a real person. Replies go nowhere.",
      "Before you meet anyone",
    ]);
  });

  it.each(["Pics 📸", "Reply"])("has a button '%s' that opens the sample dialog", (name) => {
    const button = screen.getByRole("button", { name });
    expect(button.closest("form")?.getAttribute("data-params")).toBe("reason=sample");
  });

  it("has the report section", () => {
    const help = screen.getByRole("region", { name: "Report this ad" });
    const mail = within(help).getByRole("link", { name: "contact@site.example" });
    expect(mail.getAttribute("href")).toBe(
      "mailto:contact@site.example?subject=Report%20ad%204251%20in%20Birmingham%2C%20Alabama",
    );
    for (const target of ["tel:911", "tel:+18883737888", "sms:233733", "tel:+18008435678"])
      expect(help.querySelectorAll(`a[href="${target}"]`)).toHaveLength(1);
  });

  it("shows breadcrumbs", () => {
    const breadcrumbs = within(screen.getByRole("navigation", { name: "Breadcrumb" }));
    expect(breadcrumbs.getAllByRole("listitem").map(textOf)).toEqual(["Home", "Alabama", "Birmingham", AD?.title]);
  });
});

describe("other ad pages", () => {
  afterEach(cleanup);

  it("links back to the city's ads", async () => {
    await renderExisting("/city/Missouri/St.%20Louis/ad/4300");
    const back = screen.getByRole("link", { name: "Back to St. Louis ads" });
    expect(back.getAttribute("href")).toBe("/city/Missouri/St.%20Louis");
  });

  it.each([
    [4251, ["4252"]],
    [4252, ["4251", "4253"]],
    [4300, ["4299"]],
  ])("ad %i links to the samples beside it", async (id, ids) => {
    await renderExisting(`/city/Alabama/Birmingham/ad/${String(id)}`);
    const links = within(screen.getByRole("navigation", { name: "Other ads" })).getAllByRole("link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual(
      ids.map((other) => `/city/Alabama/Birmingham/ad/${other}`),
    );
    for (const link of links) expect(textOf(link)).toMatch(/^(← Previous|Next) sample/);
  });

  it("has noindex and the canonical id", async () => {
    const { head, layout } = await renderExisting("/city/Alabama/Birmingham/ad/04251");
    expect(head).toMatchObject({
      title: `Sample ad: ${AD?.title ?? ""} in Birmingham, Alabama - Test Site`,
      canonical: PATH,
      robots: "noindex",
      social: { title: expect.stringMatching(/^Sample ad: /) as string, type: "website", url: PATH },
    });
    expect(head.breadcrumbs?.at(-1)).toEqual({ label: AD?.title, path: PATH });
    expect(layout).toEqual({});
  });

  it("has an example path", () => {
    expect(page.paths?.()).toEqual([PATH]);
  });

  // The unit tests of findRegularAd have the other IDs.
  it.each(["9001", "%204251"])("ad '%s' is 'Ad not found'", async (id) => {
    const data = await loadData(section, `/city/Alabama/Birmingham/ad/${id}`);
    expect(isNotFound(data) && data.heading).toBe("Ad not found");
    expect(data).toHaveProperty("link", { label: "Browse Birmingham ads", path: "/city/Alabama/Birmingham" });
  });

  it("a missing id is 'Ad not found'", async () => {
    const data = await page.data({
      params: { state: "Alabama", city: "Birmingham" },
      site: {} as Parameters<typeof page.data>[0]["site"],
    });
    expect(isNotFound(data) && data.heading).toBe("Ad not found");
  });

  it.each(["/city/Nowhere/Birmingham/ad/4251", "/city/Alabama/Nowhere/ad/4251", "/city/Nowhere/Nowhere/ad/abc"])(
    "%s is 'City not found'",
    async (path) => {
      const data = await loadData(section, path);
      expect(isNotFound(data) && data.heading).toBe("City not found");
    },
  );
});
