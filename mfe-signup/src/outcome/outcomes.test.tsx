import { renderPage } from "@colonnade/kit/testing";
import { act, fireEvent, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi, type MockInstance } from "vitest";

import section from "../section";
import { mockJsonResponse, descriptionOf, fillForm, input, FORM_VALUES, WITH_PARTNER } from "../testing/signup";

const PARTNER_URL = "https://partner.example.com/join?subid=colonnade";

let assign: MockInstance<(url: string | URL) => void>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "warn").mockReturnValue();
  assign = vi.spyOn(window.location, "assign").mockReturnValue();
});

async function seconds(count: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(count * 1_000));
}

async function signUp(status: number, body: unknown): Promise<void> {
  mockJsonResponse(status, body);
  await renderPage(section, "/signup", { site: WITH_PARTNER });
  fillForm();
  fireEvent.click(screen.getByRole("button", { name: "Continue" }));
  await seconds(0);
}

function signUpUnreachable(): Promise<void> {
  return signUp(503, { error: "Down.", unreachable: true });
}

function click(name: string): void {
  fireEvent.click(screen.getByRole("button", { name }));
}

describe("unreachable sign-up", () => {
  it("shows the partner and a labeled affiliate link, and focuses 'Stop'", async () => {
    await signUpUnreachable();
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Sign-up isn’t available");
    const link = screen.getByRole("link", { name: "Go now to Example Partner (partner.example.com) Affiliate link" });
    expect(link.getAttribute("href")).toBe(PARTNER_URL);
    expect(link.getAttribute("rel")).toBe("sponsored nofollow noopener");
    const group = screen.getByRole("group");
    expect(group.textContent).toContain("We couldn’t reach the sign-up service");
    expect(descriptionOf(group)).toContain(
      "Taking you to Example Partner in 10 seconds.When the countdown ends, we open the affiliate link below. We may earn a commission.",
    );
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Stop" }));
    expect(document.querySelector("form")?.hidden).toBe(true);
  });

  it("counts down ten seconds visibly, then leaves once", async () => {
    await signUpUnreachable();
    expect(screen.getByRole("timer").textContent).toBe("Taking you to Example Partner in 10 seconds.");
    await seconds(9);
    expect(screen.getByRole("timer").textContent).toBe("Taking you to Example Partner in 1 second.");
    expect(assign).not.toHaveBeenCalled();
    await seconds(1);
    await seconds(60);
    expect(assign.mock.calls).toEqual([[PARTNER_URL]]);
  });

  it("announces the countdown for one second only", async () => {
    await signUpUnreachable();
    const announcements: (string | null)[] = [];
    for (let second = 0; second < 9; second += 1) {
      await seconds(1);
      announcements.push(screen.getByRole("status").textContent);
    }
    // A status that stayed would contradict the timer.
    expect(announcements).toEqual(["", "", "", "", "5 seconds left. Choose Stop to stay here.", "", "", "", ""]);
  });

  it("stays when stopped", async () => {
    await signUpUnreachable();
    await seconds(3);
    click("Stop");
    await seconds(60);
    expect(assign).not.toHaveBeenCalled();
    expect(screen.queryByRole("timer")).toBeNull();
    expect(screen.getByRole("status").textContent).toBe("Stopped. You’re staying on this page.");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Back to the form" }));
  });

  it("returns to the form with its values", async () => {
    await signUpUnreachable();
    click("Stop");
    click("Back to the form");
    expect(document.querySelector("form")?.hidden).toBe(false);
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Create your account");
    expect([input("Email").value, input("Password").value, input("Age").value]).toEqual(Object.values(FORM_VALUES));
    expect(document.activeElement).toBe(input("Email"));
  });

  it("stops the countdown when its link is followed", async () => {
    await signUpUnreachable();
    const link = screen.getByRole("link", { name: /^Go now to / });
    await seconds(1);
    expect(fireEvent.click(link)).toBe(true);
    await seconds(60);
    expect(assign).not.toHaveBeenCalled();
  });

  it("ignores its link during the first second", async () => {
    await signUpUnreachable();
    const link = screen.getByRole("link", { name: /^Go now to / });
    await seconds(0.9);
    expect(link.getAttribute("aria-disabled")).toBe("true");
    // False: the click's default is prevented.
    expect(fireEvent.click(link)).toBe(false);
    expect(fireEvent(link, new MouseEvent("auxclick", { bubbles: true, cancelable: true }))).toBe(false);
    expect(screen.getByRole("timer")).not.toBeNull();
    await seconds(0.1);
    expect(link.getAttribute("aria-disabled")).toBe("false");
  });

  it("pauses while the page is hidden", async () => {
    await signUpUnreachable();
    const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    await seconds(60);
    expect(assign).not.toHaveBeenCalled();
    hidden.mockReturnValue(false);
    await seconds(10);
    expect(assign).toHaveBeenCalledTimes(1);
  });
});

describe("a redirect after success", () => {
  it("shows the host before leaving this origin", async () => {
    await signUp(200, { redirectUrl: "https://members.example.com/welcome" });
    expect(screen.getByRole("status").textContent).toBe(
      "Your account was created. We’re taking you to members.example.com.",
    );
    expect(document.activeElement).toBe(screen.getByRole("status"));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("You’re signed up");
    expect(screen.getByRole("link", { name: "Continue to members.example.com" })).not.toBeNull();
    expect(document.querySelector("form, input")).toBeNull();
    expect(assign).not.toHaveBeenCalled();
    await seconds(2);
    expect(assign.mock.calls).toEqual([["https://members.example.com/welcome"]]);
  });

  it("fully loads a path with a query on this origin", async () => {
    await signUp(200, { redirectUrl: "/terms?from=signup" });
    await seconds(0);
    expect(assign.mock.calls).toEqual([[`${window.location.origin}/terms?from=signup`]]);
  });
});
