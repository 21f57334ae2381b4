import { isNotFound } from "@colonnade/kit";
import { renderPage, type RenderedPage, type RenderOptions } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import section from "../section";
import { CONNECTED } from "../testing/signup";

async function show(path: string, options: RenderOptions = {}): Promise<RenderedPage> {
  const view = await renderPage(section, path, options);
  if (isNotFound(view)) throw new Error(`${path} is not found`);
  return view;
}

describe.each(["/signup", "/success"])("the page %s", (path) => {
  it("is kept out of search engines and is its own canonical address", async () => {
    const { head } = await show(path);
    expect(head).toMatchObject({ robots: "noindex", canonical: path });
    expect(head.title).toContain("Test Directory");
    expect(head.description).not.toBe("");
  });

  it("has one heading of the first level", async () => {
    await show(path);
    expect(screen.getAllByRole("heading", { level: 1 })).toHaveLength(1);
  });
});

describe("/signup", () => {
  it("is headed by what it offers", async () => {
    const { head } = await show("/signup", { site: CONNECTED });
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Create your account");
    expect(head.description).toContain("Create an account");
  });

  it("invites nobody to a sign-up that there is none of", async () => {
    const { container, head } = await show("/signup");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Sign-up is not available");
    expect(`${container.textContent} ${head.description}`).not.toMatch(/create (an|your) account/i);
  });
});

describe("/success", () => {
  it("says where the account is and that nothing is stored here", async () => {
    const { container } = await show("/success", { site: CONNECTED });
    expect(container.textContent).toContain("your account was created at accounts.example.org");
    expect(container.textContent).toContain("stores none of them");
  });

  it("names the service in general where none is configured", async () => {
    const { container } = await show("/success");
    expect(container.textContent).toContain("your account was created at the sign-up service");
  });

  it("leads home", async () => {
    await show("/success");
    expect(screen.getByRole("link", { name: "Back to Test Directory" }).getAttribute("href")).toBe("/");
  });
});
