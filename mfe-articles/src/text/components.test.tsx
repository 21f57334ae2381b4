import { cleanup } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";

import { renderExisting } from "../testing/page";

afterEach(cleanup);

describe("text components", () => {
  it("the contact address is a link that writes to it", async () => {
    const { container } = await renderExisting("/about-escort-babylon/top-cities");
    const link = container.querySelector(".prose a[href^='mailto:']");
    expect(link?.getAttribute("href")).toBe("mailto:contact@site.example");
    expect(link?.textContent).toBe("contact@site.example");
  });

  it("a link within the site is a plain anchor", async () => {
    const { container } = await renderExisting("/about-escort-babylon/top-cities");
    const link = container.querySelector("a[href='/state/New%20York']");
    expect(link?.getAttributeNames()).toEqual(["href"]);
  });

  it("a table says what its parts are, whatever they are laid out as", async () => {
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

  it("a table stands in a box that scrolls by itself", async () => {
    const { container } = await renderExisting("/about-escort-babylon/top-cities");
    expect(container.querySelectorAll("table").length).toBeGreaterThan(0);
    expect(container.querySelectorAll(".scroll > table")).toHaveLength(container.querySelectorAll("table").length);
  });
});
