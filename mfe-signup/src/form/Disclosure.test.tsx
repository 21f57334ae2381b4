import { renderPage, TEST_SITE } from "@colonnade/kit/testing";
import type { Site } from "@colonnade/kit";
import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import section from "../section";
import { WITH_BACKEND, WITH_NAME, WITH_PARTNER } from "../testing/signup";

async function textBeforeButton(site: Partial<Site>): Promise<string> {
  await renderPage(section, "/signup", { site });
  const range = document.createRange();
  range.setStart(document.body, 0);
  range.setEndBefore(screen.getByRole("button", { name: "Continue" }));
  return range.toString();
}

describe("before the button, the form shows", () => {
  it("the name of the service beside the host that really receives the details", async () => {
    expect(await textBeforeButton(WITH_NAME)).toContain(
      "Goes toExample Accounts (accounts.example.org), which creates",
    );
  });

  it("who receives and keeps the details, the commission, and the partner", async () => {
    const text = await textBeforeButton(WITH_PARTNER);
    for (const part of [
      "Goes toaccounts.example.org, which creates your account. We send nothing until you choose Continue.",
      "Kept hereNothing you type. We pass on your email, password, and stated age, and we don’t keep them.",
      `CommissionYour sign-up carries an affiliate tag, so ${TEST_SITE.brand} may earn a commission.`,
      "If unavailableWe’ll take you to Example Partner (partner.example.com) through an affiliate link, after a countdown " +
        "you can stop. Nothing you typed goes there.",
    ])
      expect(text).toContain(part);
  });

  it("no partner if none is configured", async () => {
    expect(await textBeforeButton(WITH_BACKEND)).not.toMatch(/unavailable|partner|countdown|affiliate link/i);
  });

  it("links to terms and privacy that open in new tabs", async () => {
    expect(await textBeforeButton(WITH_BACKEND)).toContain("Terms and Privacy");
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
  expect(document.body.textContent).toContain("No sign-up service is connected, so we can’t create accounts right now");
  expect(document.querySelector("form, input")).toBeNull();
  expect(document.body.textContent).not.toContain("affiliate");
});
