import { renderPage } from "@colonnade/kit/testing";
import { act, fireEvent, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi, type MockInstance } from "vitest";

import section from "../section";
import { answerJson, descriptionOf, fillIn, input, TYPED, WITH_PARTNER } from "../testing/signup";

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
  answerJson(status, body);
  await renderPage(section, "/signup", { site: WITH_PARTNER });
  fillIn();
  fireEvent.click(screen.getByRole("button", { name: "Continue" }));
  await seconds(0);
}

function outOfReach(): Promise<void> {
  return signUp(503, { error: "Down.", unreachable: true });
}

function click(name: string): void {
  fireEvent.click(screen.getByRole("button", { name }));
}

describe("sign-up out of reach", () => {
  it("says so, says where it leads and how, and makes 'Stop' the next key", async () => {
    await outOfReach();
    const group = screen.getByRole("group");
    expect(group.textContent).toContain("Sign-up is out of reach right now");
    expect(descriptionOf(group)).toContain(
      "taken, in 10 seconds, to Example Partner (partner.example.com) through an affiliate link",
    );
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Stop" }));
    expect(document.querySelector("form")?.hidden).toBe(true);
  });

  it("labels its link to the partner", async () => {
    await outOfReach();
    const link = screen.getByRole("link", { name: "Go now to Example Partner (partner.example.com) Affiliate link" });
    expect(link.getAttribute("href")).toBe(PARTNER_URL);
    expect(link.getAttribute("rel")).toBe("sponsored nofollow noopener");
  });

  it("counts ten seconds down in sight, then leaves once", async () => {
    await outOfReach();
    expect(screen.getByRole("timer").textContent).toBe("Leaving in 10 seconds");
    await seconds(9);
    expect(screen.getByRole("timer").textContent).toBe("Leaving in 1 second");
    expect(assign).not.toHaveBeenCalled();
    await seconds(1);
    await seconds(60);
    expect(assign.mock.calls).toEqual([[PARTNER_URL]]);
  });

  it("reminds a screen reader once, not each second", async () => {
    await outOfReach();
    const said = new Set<string | null>();
    for (let second = 0; second < 9; second += 1) {
      await seconds(1);
      said.add(screen.getByRole("status").textContent);
    }
    expect([...said]).toEqual(["", "5 seconds left. Choose Stop to stay here."]);
  });

  it("stays when it is stopped", async () => {
    await outOfReach();
    await seconds(3);
    click("Stop");
    await seconds(60);
    expect(assign).not.toHaveBeenCalled();
    expect(screen.queryByRole("timer")).toBeNull();
    expect(screen.getByRole("status").textContent).toBe("The countdown is stopped. You stay on this page.");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Back to the form" }));
  });

  it("goes back to the form with what was typed", async () => {
    await outOfReach();
    click("Stop");
    click("Back to the form");
    expect(document.querySelector("form")?.hidden).toBe(false);
    expect([input("E-mail").value, input("Password").value, input("Age").value]).toEqual(Object.values(TYPED));
    expect(document.activeElement).toBe(input("E-mail"));
  });

  it("leaves at once when told to, and only then", async () => {
    await outOfReach();
    const link = screen.getByRole<HTMLAnchorElement>("link", { name: /^Go now to / });
    expect(link.href).toBe(PARTNER_URL);
    fireEvent.click(link);
    await seconds(60);
    expect(assign).not.toHaveBeenCalled();
  });

  it("rests while nobody can see it", async () => {
    await outOfReach();
    const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    await seconds(60);
    expect(assign).not.toHaveBeenCalled();
    hidden.mockReturnValue(false);
    await seconds(10);
    expect(assign).toHaveBeenCalledTimes(1);
  });
});

describe("a success that leads elsewhere", () => {
  it("names the host before it leaves this origin", async () => {
    await signUp(200, { redirectUrl: "https://members.example.com/welcome" });
    expect(screen.getByRole("status").textContent).toBe(
      "Your account was created. You are being taken to members.example.com.",
    );
    expect(screen.getByRole("link", { name: "Continue to members.example.com" })).not.toBeNull();
    expect(document.querySelector("form")).toBeNull();
    expect(assign).not.toHaveBeenCalled();
    await seconds(2);
    expect(assign.mock.calls).toEqual([["https://members.example.com/welcome"]]);
  });

  it("loads an address on this origin that is no plain path", async () => {
    await signUp(200, { redirectUrl: "/terms?from=signup" });
    await seconds(0);
    expect(assign.mock.calls).toEqual([[`${window.location.origin}/terms?from=signup`]]);
  });
});
