import { integrations } from "@colonnade/design/testing";
import type { RenderedPage } from "@colonnade/kit/testing";
import { cleanup } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { SLUGS, type MarkdownModule } from "../articles";
import { CARDS } from "../cards";
import { renderExisting } from "../testing/page";

const WITH_SIGNUP = { site: { integrations: integrations({ host: "accounts.example.org" }) } };

describe("hub", () => {
  let view: RenderedPage;
  beforeAll(async () => {
    view = await renderExisting("/about-escort-babylon");
  });
  afterAll(cleanup);

  it("nine ordered cards have icon, heading, description and link", () => {
    const cards = [...view.container.querySelectorAll("li")];
    expect(cards.map((card) => card.querySelector("h2 a")?.getAttribute("href"))).toEqual(
      SLUGS.map((slug) => `/about-escort-babylon/${slug}`),
    );
    expect(cards).toHaveLength(9);
    for (const card of cards) {
      expect(card.querySelectorAll("a")).toHaveLength(1);
      expect(card.querySelector("svg[aria-hidden='true'] path")?.getAttribute("d")).toBeTruthy();
      expect(card.querySelector("p")?.textContent).toBeTruthy();
    }
  });

  it("the page has one h1 and no h3", () => {
    expect([...view.container.querySelectorAll("h1")].map((heading) => heading.textContent)).toEqual(["Guides"]);
    expect(view.container.querySelectorAll("h3")).toHaveLength(0);
  });

  it("the head is indexable and has canonical path and breadcrumbs", () => {
    const { head, layout } = view;
    expect(head).toMatchObject({
      title: "Guides - Test Site",
      canonical: "/about-escort-babylon",
      social: { type: "website" },
    });
    expect(head.robots).toBeUndefined();
    expect(head.breadcrumbs?.map(({ path }) => path)).toEqual(["/", "/about-escort-babylon"]);
    expect(layout).toEqual({});
  });
});

describe("hub with other facts", () => {
  afterEach(cleanup);

  it("cards match the Markdown files", async () => {
    expect(CARDS.map(({ slug }) => slug)).toEqual(SLUGS);
    for (const card of CARDS) {
      const { frontmatter } = (await import(`../../content/${card.slug}.md`)) as MarkdownModule;
      expect(card).toEqual({
        slug: card.slug,
        title: frontmatter.title,
        card: frontmatter.card,
        icon: frontmatter.icon,
      });
    }
  });

  it("no two cards have the same icon", () => {
    expect(new Set(CARDS.map(({ icon }) => icon)).size).toBe(9);
  });

  it("'Join Now' works without JavaScript", async () => {
    const { getByRole } = await renderExisting("/about-escort-babylon", WITH_SIGNUP);
    const form = getByRole("button", { name: "Join Now" }).closest("form");
    expect(form?.getAttribute("action")).toBe("/signup");
    expect(form?.getAttribute("data-params")).toBe("reason=general");
  });

  it("'Join Now' is hidden without a sign-up service", async () => {
    const connected = await renderExisting("/about-escort-babylon", WITH_SIGNUP);
    expect(connected.getByRole("region", { name: "Ready to sign up?" }).textContent).toContain("who gets your details");
    cleanup();
    const { getByRole, queryByRole } = await renderExisting("/about-escort-babylon");
    expect(queryByRole("button", { name: "Join Now" })).toBeNull();
    const text = getByRole("region", { name: "Sign-up isn’t available" }).textContent;
    expect(text).toContain("no sign-up service right now");
    expect(text).not.toContain("the form");
  });

  it.each(["/about-escort-babylon", "/about-escort-babylon/what-is-escort-babylon"])(
    "%s disclaims affiliation with sites of the same name",
    async (path) => {
      const { container } = await renderExisting(path, { site: { brand: "Escort Babylon" } });
      expect(container.textContent).toContain("isn’t affiliated with any other site called Escort Babylon");
    },
  );
});
