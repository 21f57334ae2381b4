import { cleanup, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

import { WITH_PARTNER } from "../testing/signup";

// Each test imports the section anew, as after a reload.
beforeEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.resetModules();
  sessionStorage.clear();
  history.replaceState(null, "");
});

async function heading(): Promise<string | null> {
  const { renderPage } = await import("@colonnade/kit/testing");
  const { default: section } = await import("../section");
  await renderPage(section, "/signup", { site: WITH_PARTNER });
  return screen.getByRole("heading", { level: 1 }).textContent;
}

it("sign-up is open without a flag", async () => {
  expect(await heading()).toBe("Create your account");
});

it("sign-up stays closed by the flag in session storage", async () => {
  sessionStorage.setItem("signup", "closed");
  expect(await heading()).toBe("Sign-up ends here");
  expect(document.querySelector("form, input")).toBeNull();
  // Earlier attempts are no longer known.
  expect(document.body.textContent).not.toContain("save or send");
});

it("sign-up stays closed by the history entry if storage is denied", async () => {
  vi.spyOn(globalThis, "sessionStorage", "get").mockImplementation(() => {
    throw new DOMException("denied", "SecurityError");
  });
  history.replaceState({ scrollTop: 9, signup: "closed" }, "");
  expect(await heading()).toBe("Sign-up ends here");
});

it("closing keeps the other fields of the history entry", async () => {
  history.replaceState({ scrollTop: 9 }, "");
  const { closeSignup } = await import("./underage");
  closeSignup();
  expect(history.state).toEqual({ scrollTop: 9, signup: "closed" });
});
