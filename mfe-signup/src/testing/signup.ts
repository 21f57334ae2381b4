// What the tests of this section share.
import { cleanup, screen } from "@testing-library/react";
import type { SiteFacts } from "@colonnade/kit";
import { TEST_SITE } from "@colonnade/kit/testing";
import { afterEach, vi, type Mock } from "vitest";

/** A site with a sign-up backend, and no partner. */
export const CONNECTED: Partial<SiteFacts> = {
  signup: { ...TEST_SITE.signup, host: "accounts.example.org", redirectHosts: ["members.example.com"] },
};

/** The same with a partner. */
export const WITH_PARTNER: Partial<SiteFacts> = {
  ...CONNECTED,
  partner: {
    id: "example",
    name: "Example Partner",
    host: "partner.example.com",
    url: "https://partner.example.com/join?subid=colonnade",
  },
};

/** What the tests type; none of it may turn up where it does not belong. */
export const TYPED = { email: "visitor@example.net", password: "correct horse", age: "34" } as const;

/** Makes `fetch` answer, and returns it. */
export function answerWith(answer: (request: RequestInit) => Promise<Response>): Mock<typeof fetch> {
  const fetching = vi.fn<typeof fetch>((_, init) => answer(init ?? {}));
  vi.stubGlobal("fetch", fetching);
  return fetching;
}

/** Makes `fetch` answer with a status and a JSON body. */
export function answerJson(status: number, body: unknown): Mock<typeof fetch> {
  return answerWith(() => Promise.resolve(new Response(JSON.stringify(body), { status })));
}

/** Makes `fetch` wait until it is aborted. */
export function answerNever(): Mock<typeof fetch> {
  return answerWith(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => {
          reject(new DOMException("aborted", "AbortError"));
        });
      }),
  );
}

/** The input with a label. */
export function input(label: "E-mail" | "Password" | "Age"): HTMLInputElement {
  return screen.getByLabelText<HTMLInputElement>(label);
}

/** Fills the form in, with {@link TYPED} where nothing else is given. */
export function fillIn(typed: Partial<Record<keyof typeof TYPED, string>> = {}): void {
  input("E-mail").value = typed.email ?? TYPED.email;
  input("Password").value = typed.password ?? TYPED.password;
  input("Age").value = typed.age ?? TYPED.age;
}

/** The texts that describe an element to a screen reader. */
export function descriptionOf(element: HTMLElement): string {
  const ids = element.getAttribute("aria-describedby")?.split(" ") ?? [];
  return ids.map((id) => document.getElementById(id)?.textContent).join(" ");
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});
