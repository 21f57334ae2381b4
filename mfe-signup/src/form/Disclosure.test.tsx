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
      "your e-mail, password and stated age go to accounts.example.org",
    );
  });

  it("that the sign-up carries an affiliate tag", async () => {
    expect(await textBeforeButton(WITH_BACKEND)).toContain(
      `The sign-up carries an affiliate tag: ${TEST_SITE.brand} may earn a commission from it.`,
    );
  });

  it("the partner used if sign-up is unreachable", async () => {
    expect(await textBeforeButton(WITH_PARTNER)).toContain(
      "If sign-up is out of reach, you are taken to Example Partner (partner.example.com) through an affiliate link, after a countdown you can stop.",
    );
  });

  it("no partner if none is configured", async () => {
    const text = await textBeforeButton(WITH_BACKEND);
    expect(text).not.toContain("out of reach");
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
  expect(document.body.textContent).toContain("Sign-up is not available at the moment");
  expect(document.querySelector("form, input")).toBeNull();
  expect(document.body.textContent).not.toContain("affiliate");
});
