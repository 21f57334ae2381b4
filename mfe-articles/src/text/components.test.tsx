import { cleanup } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";

import { renderExisting } from "../testing/page";

afterEach(cleanup);

describe("text components", () => {
  it("the contact address is a mailto link", async () => {
    const { container } = await renderExisting("/about-escort-babylon/top-cities");
    const link = container.querySelector(".prose a[href^='mailto:']");
    expect(link?.getAttribute("href")).toBe("mailto:contact@site.example");
    expect(link?.textContent).toBe("contact@site.example");
  });

  it("an internal link is a plain anchor", async () => {
    const { container } = await renderExisting("/about-escort-babylon/top-cities");
    const link = container.querySelector("a[href='/state/New%20York']");
    expect(link?.getAttributeNames()).toEqual(["href"]);
  });

  it("tables have explicit roles", async () => {
    const { container } = await renderExisting("/about-escort-babylon/red-flags");
    for (const [tag, role] of [
      ["table", "table"],
      ["tr", "row"],
      ["th", "columnheader"],
      ["td", "cell"],
    ] as const) {
      const roles = [...container.querySelectorAll(tag)].map((element) => element.getAttribute("role"));
      expect(roles.length).toBeGreaterThan(0);
      expect(new Set(roles)).toEqual(new Set([role]));
    }
  });

  it("tables have a scrolling container", async () => {
    const { container } = await renderExisting("/about-escort-babylon/top-cities");
    expect(container.querySelectorAll("table").length).toBeGreaterThan(0);
    expect(container.querySelectorAll(".scroll > table")).toHaveLength(container.querySelectorAll("table").length);
  });
});
