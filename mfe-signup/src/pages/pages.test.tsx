import { isNotFound } from "@colonnade/kit";
import { renderPage, TEST_SITE, type RenderedPage, type RenderOptions } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";

import { recordSuccess } from "../outcome/success";
import section from "../section";
import { WITH_BACKEND, WITH_NAME } from "../testing/signup";
import { page } from "./signup";

async function renderExisting(path: string, options: RenderOptions = {}): Promise<RenderedPage> {
  const view = await renderPage(section, path, options);
  if (isNotFound(view)) throw new Error(`${path} is not found`);
  return view;
}

it.each([
  ["/signup", "Sign up - Test Site", /who receives your details/],
  ["/success", "Your account - Test Site", /Where a sign-up/],
])("the page %s has one h1, noindex and its own canonical path", async (path, title, description) => {
  const { head } = await renderExisting(path, { site: WITH_BACKEND });
  expect(head).toMatchObject({ title, robots: "noindex", canonical: path });
  expect(head.description).toMatch(description);
  expect(screen.getAllByRole("heading", { level: 1 })).toHaveLength(1);
});

describe("/signup", () => {
  it("has a heading for the form, then the sample notice", async () => {
    const { container, head } = await renderExisting("/signup", { site: WITH_BACKEND });
    expect([...container.querySelectorAll("h1, p")].slice(0, 2).map(({ textContent }) => textContent)).toEqual([
      "Create your account",
      "Coming from an ad? These ads are samples. Nobody receives a reply, and signing up unlocks no photos or further ads.",
    ]);
    expect(head.description).toContain("Create an account");
  });

  it.each([
    [undefined, "Error: Sign up - Test Site"],
    ["under_age", "Sign up - Test Site"],
  ])("after a form post with the code %j has the title %s", (code, title) => {
    const form = { message: "Please try again.", values: {}, ...(code && { code }) };
    expect(page.head({ data: null, form, site: TEST_SITE }).title).toBe(title);
  });

  it("does not invite to sign up without a sign-up service", async () => {
    const { container, head } = await renderExisting("/signup");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Sign-up isn’t available");
    expect(`${container.textContent} ${head.description}`).not.toMatch(/create (an|your) account/i);
  });
});

describe("/success", () => {
  it("names the service with its host, and links where to sign in", async () => {
    const { container } = await renderExisting("/success", { site: WITH_NAME });
    expect(container.textContent).toContain("your account is at Example Accounts (accounts.example.org).");
    const link = screen.getByRole("link", { name: "Sign in at Example Accounts" });
    expect(link.getAttribute("href")).toBe("https://accounts.example.org/sign-in");
  });

  it("is neutral without a sign-up, and says that nothing is kept", async () => {
    const { container } = await renderExisting("/success", { site: WITH_BACKEND });
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Your account");
    expect(container.textContent).toContain("If you just signed up here, your account is at accounts.example.org.");
    expect(container.textContent).toContain("passes on your email, password, and stated age, and doesn’t keep them");
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
    expect(screen.getByRole("link", { name: "Back to Test Site" }).getAttribute("href")).toBe("/");
  });
});
