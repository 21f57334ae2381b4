import { isNotFound } from "@colonnade/kit";
import { renderPage, type RenderedPage, type RenderOptions } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";

import { recordSuccess } from "../outcome/success";
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
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Sign-up isn’t available");
    expect(`${container.textContent} ${head.description}`).not.toMatch(/create (an|your) account/i);
  });
});

describe("/success", () => {
  it("is neutral without a sign-up, and says that nothing is kept", async () => {
    const { container } = await renderExisting("/success", { site: WITH_BACKEND });
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Your account");
    expect(container.textContent).toContain("If you just signed up here, your account is at accounts.example.org.");
    expect(container.textContent).toContain("doesn’t keep them");
  });

  it("says once that the visitor is signed up after a sign-up", async () => {
    recordSuccess();
    const { container, unmount } = await renderExisting("/success", { site: WITH_BACKEND });
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("You’re signed up");
    expect(container.textContent).toContain("Your account was created at accounts.example.org.");
    expect(sessionStorage.length).toBe(0);
    unmount();
    await renderExisting("/success", { site: WITH_BACKEND });
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Your account");
  });

  it("is neutral if storage is denied", async () => {
    vi.spyOn(globalThis, "sessionStorage", "get").mockImplementation(() => {
      throw new DOMException("denied", "SecurityError");
    });
    recordSuccess();
    await renderExisting("/success", { site: WITH_BACKEND });
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Your account");
  });

  it("uses a generic name if no service is configured", async () => {
    const { container } = await renderExisting("/success");
    expect(container.textContent).toContain("your account is at the sign-up service");
  });

  it("links home", async () => {
    await renderExisting("/success");
    expect(screen.getByRole("link", { name: "Back to Test Directory" }).getAttribute("href")).toBe("/");
  });
});
