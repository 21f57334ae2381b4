import { isNotFound } from "@colonnade/kit";
import { renderPage, type RenderedPage, type RenderOptions } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import section from "../section";
import { WITH_BACKEND } from "../testing/signup";

async function renderExisting(path: string, options: RenderOptions = {}): Promise<RenderedPage> {
  const view = await renderPage(section, path, options);
  if (isNotFound(view)) throw new Error(`${path} is not found`);
  return view;
}

describe.each(["/signup", "/success"])("the page %s", (path) => {
  it("has noindex and its own canonical path", async () => {
    const { head } = await renderExisting(path);
    expect(head).toMatchObject({ robots: "noindex", canonical: path });
    expect(head.title).toContain("Test Directory");
    expect(head.description).not.toBe("");
  });

  it("has one h1", async () => {
    await renderExisting(path);
    expect(screen.getAllByRole("heading", { level: 1 })).toHaveLength(1);
  });
});

describe("/signup", () => {
  it("has a heading for the form", async () => {
    const { head } = await renderExisting("/signup", { site: WITH_BACKEND });
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Create your account");
    expect(head.description).toContain("Create an account");
  });

  it("does not invite to sign up without a sign-up service", async () => {
    const { container, head } = await renderExisting("/signup");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Sign-up is not available");
    expect(`${container.textContent} ${head.description}`).not.toMatch(/create (an|your) account/i);
  });
});

describe("/success", () => {
  it("shows the account's host and says that nothing is stored", async () => {
    const { container } = await renderExisting("/success", { site: WITH_BACKEND });
    expect(container.textContent).toContain("your account was created at accounts.example.org");
    expect(container.textContent).toContain("stores none of them");
  });

  it("uses a generic name if no service is configured", async () => {
    const { container } = await renderExisting("/success");
    expect(container.textContent).toContain("your account was created at the sign-up service");
  });

  it("links home", async () => {
    await renderExisting("/success");
    expect(screen.getByRole("link", { name: "Back to Test Directory" }).getAttribute("href")).toBe("/");
  });
});
