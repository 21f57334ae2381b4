import { renderPage, TEST_SITE } from "@colonnade/kit/testing";
import type { SiteFacts } from "@colonnade/kit";
import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import section from "../section";
import { WITH_BACKEND, WITH_PARTNER } from "../testing/signup";

async function textBeforeButton(site: Partial<SiteFacts>): Promise<string> {
  await renderPage(section, "/signup", { site });
  const range = document.createRange();
  range.setStart(document.body, 0);
  range.setEndBefore(screen.getByRole("button", { name: "Continue" }));
  return range.toString();
}

describe("before the button, the form shows", () => {
  it("who receives the details", async () => {
    expect(await textBeforeButton(WITH_BACKEND)).toContain(
      "Goes toaccounts.example.org, which creates your account. We send nothing until you choose Continue.",
    );
  });

  it("that nothing is kept here", async () => {
    expect(await textBeforeButton(WITH_BACKEND)).toContain(
      "Kept hereNothing. We pass on your email, password, and stated age, and we don’t keep them.",
    );
  });

  it("that the sign-up carries an affiliate tag", async () => {
    expect(await textBeforeButton(WITH_BACKEND)).toContain(
      `CommissionYour sign-up carries an affiliate tag, so ${TEST_SITE.brand} may earn a commission.`,
    );
  });

  it("the partner used if sign-up is unreachable", async () => {
    expect(await textBeforeButton(WITH_PARTNER)).toContain(
      "If unavailableWe’ll take you to Example Partner (partner.example.com) through an affiliate link, after a countdown you can stop.",
    );
  });

  it("no partner if none is configured", async () => {
    const text = await textBeforeButton(WITH_BACKEND);
    expect(text).not.toContain("unavailable");
    expect(text).not.toMatch(/partner|countdown/i);
  });

  it("links to terms and privacy that open in new tabs", async () => {
    await textBeforeButton(WITH_BACKEND);
    for (const [name, href] of [
      ["Terms", "/terms"],
      ["Privacy", "/privacy"],
    ] as const) {
      const link = screen.getByRole("link", { name });
      expect([link.getAttribute("href"), link.getAttribute("target")]).toEqual([href, "_blank"]);
    }
  });
});

it("without a sign-up service there is no form", async () => {
  await renderPage(section, "/signup");
  expect(document.body.textContent).toContain("we can’t create accounts right now");
  expect(document.querySelector("form, input")).toBeNull();
  expect(document.body.textContent).not.toContain("affiliate");
});
