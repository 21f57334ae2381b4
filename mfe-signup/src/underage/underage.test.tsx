import type { FormResult } from "@colonnade/kit";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { fillForm, input, mockJsonResponse, WITH_PARTNER } from "../testing/signup";

// The block lasts for the tab. Each test imports the section anew, as after a reload.
beforeEach(() => {
  vi.resetModules();
  sessionStorage.clear();
  history.replaceState(null, "");
});

async function showPage(form?: FormResult): Promise<string | null> {
  const { renderPage } = await import("@colonnade/kit/testing");
  const { default: section } = await import("../section");
  await renderPage(section, "/signup", { site: WITH_PARTNER, ...(form && { form }) });
  return screen.getByRole("heading", { level: 1 }).textContent;
}

async function showDialog(): Promise<HTMLElement> {
  cleanup();
  const { inShell } = await import("@colonnade/kit/testing");
  const { default: JoinDialog } = await import("../dialogs/join");
  const dialog = <JoinDialog open params={{ reason: "sample" }} close={() => undefined} />;
  render(inShell(dialog, { site: WITH_PARTNER }));
  return screen.getByRole("dialog", { name: "Sign-up ends here" });
}

async function submit(): Promise<void> {
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
}

function denyStorage(): void {
  vi.spyOn(globalThis, "sessionStorage", "get").mockImplementation(() => {
    throw new DOMException("denied", "SecurityError");
  });
}

const thanks = (): HTMLElement => screen.getByText(/Thank you for telling us your age/);

describe("submitting an age under 18", () => {
  it("sends nothing, and replaces the form on page and in the dialog", async () => {
    const fetchMock = mockJsonResponse(200, {});
    expect(await showPage()).toBe("Create your account");
    fillForm({ age: "17" });
    await submit();
    expect(fetchMock).not.toHaveBeenCalled();
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Sign-up ends here");
    expect(document.activeElement).toBe(thanks());
    expect(thanks().textContent).toContain("only for people 18 and over");
    expect(thanks().textContent).toContain("We didn’t save or send anything you entered.");
    expect(document.querySelector("form, input")).toBeNull();
    expect(document.body.textContent).not.toMatch(/earlier try|Example Partner|verif/i);

    const dialog = await showDialog();
    expect(dialog.textContent).toContain("18 and over");
    expect(dialog.textContent).not.toMatch(/Example Partner|These ads are samples/);
    expect(dialog.querySelector("form, input")).toBeNull();
    const buttons = screen.getAllByRole("button");
    expect(buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent)).toEqual([
      "Close",
      "Close",
    ]);
  });

  it("leaves a flag that says only 'closed', and no age", async () => {
    history.replaceState({ scrollTop: 9 }, "");
    await showPage();
    fillForm({ age: "17" });
    await submit();
    expect(Object.entries(sessionStorage)).toEqual([["signup", "closed"]]);
    expect(history.state).toEqual({ scrollTop: 9, signup: "closed" });
    expect([localStorage.length, document.cookie]).toEqual([0, ""]);
  });

  it("says where an earlier attempt was sent", async () => {
    const fetchMock = mockJsonResponse(409, { error: "This email address is already registered." });
    await showPage();
    fillForm();
    await submit();
    await screen.findByText(/already registered/);
    input("Age").value = "17";
    await submit();
    expect(fetchMock).toHaveBeenCalledTimes(1);
    expect(thanks().textContent).toContain(
      "We didn’t save or send this age. Your earlier try may have reached accounts.example.org, so it may have your " +
        "details. We don’t.",
    );
  });

  it("mentions no earlier attempt that the gateway refused", async () => {
    mockJsonResponse(403, { error: "Sign-up only works from this site’s own pages.", stopped: true });
    await showPage();
    fillForm();
    await submit();
    await screen.findByRole("alert");
    input("Age").value = "17";
    await submit();
    expect(thanks().textContent).toContain("We didn’t save or send anything you entered.");
  });

  it("mentions an earlier rejected form post", async () => {
    await showPage({ message: "This email address is already registered.", values: { email: "typed@example.net" } });
    fillForm({ age: "17" });
    await submit();
    expect(thanks().textContent).toContain("Your earlier try may have reached accounts.example.org");
  });

  it("as a form post blocks sign-up on page and dialog", async () => {
    expect(await showPage({ code: "under_age", message: "This site is for adults.", values: {} })).toBe(
      "Sign-up ends here",
    );
    expect(document.querySelector("form, input")).toBeNull();
    // The form result covers only this attempt.
    expect(document.body.textContent).toContain("We didn’t save or send anything you entered.");
    expect(document.body.textContent).not.toContain("Example Partner");
    await showDialog();
  });
});

describe("after a reload", () => {
  it("sign-up stays closed by the flag in session storage", async () => {
    sessionStorage.setItem("signup", "closed");
    expect(await showPage()).toBe("Sign-up ends here");
    expect(document.querySelector("form, input")).toBeNull();
    expect(document.body.textContent).not.toContain("save or send");
  });

  it("an attempt from before is still known", async () => {
    const { recordSentForm } = await import("@colonnade/design/tab");
    recordSentForm("accounts.example.org", ["email"]);
    await showPage();
    fillForm({ age: "16" });
    await submit();
    expect(thanks().textContent).toContain("We didn’t save or send this age. Your earlier try may have reached");
  });

  it("sign-up stays closed by the history entry if storage is denied", async () => {
    denyStorage();
    await showPage();
    fillForm({ email: "", password: "", age: "17" });
    await submit();
    cleanup();
    vi.resetModules();
    expect(await showPage()).toBe("Sign-up ends here");
  });
});
