// Test helpers of this section.
import { cleanup, screen } from "@testing-library/react";
import type { Site } from "@colonnade/kit";
import { integrations, TEST_FACTS } from "@colonnade/design/testing";
import { afterEach, vi, type Mock } from "vitest";

const SIGNUP = { host: "accounts.example.org", redirectHosts: ["members.example.com"] };

const PARTNER = {
  id: "example",
  name: "Example Partner",
  host: "partner.example.com",
  url: "https://partner.example.com/join?subid=colonnade",
};

/** A site with a sign-up backend and no partner. */
export const WITH_BACKEND: Partial<Site> = { facts: TEST_FACTS, integrations: integrations(SIGNUP) };

/** A site with a sign-up backend and a partner. */
export const WITH_PARTNER: Partial<Site> = { facts: TEST_FACTS, integrations: integrations(SIGNUP, PARTNER) };

/** A site whose sign-up service has a name and a page to sign in. */
export const WITH_NAME: Partial<Site> = {
  facts: TEST_FACTS,
  integrations: integrations({
    ...SIGNUP,
    name: "Example Accounts",
    signInUrl: "https://accounts.example.org/sign-in",
  }),
};

/** Form values of the tests. Distinctive, so that tests can detect leaks. */
export const FORM_VALUES = { email: "visitor@example.net", password: "correct horse", age: "34" } as const;

/** Mocks `fetch` and returns the mock. */
export function mockFetch(respond: (request: RequestInit) => Promise<Response>): Mock<typeof fetch> {
  const fetchMock = vi.fn<typeof fetch>((_, init) => respond(init ?? {}));
  vi.stubGlobal("fetch", fetchMock);
  return fetchMock;
}

/** Mocks `fetch` with a JSON response. */
export function mockJsonResponse(status: number, body: unknown): Mock<typeof fetch> {
  return mockFetch(() => Promise.resolve(new Response(JSON.stringify(body), { status })));
}

/** Mocks `fetch` with a response that stays pending until aborted. */
export function mockPendingResponse(): Mock<typeof fetch> {
  return mockFetch(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => {
          reject(new DOMException("aborted", "AbortError"));
        });
      }),
  );
}

/** Returns the input with this label. */
export function input(label: "Email" | "Password" | "Age"): HTMLInputElement {
  return screen.getByLabelText<HTMLInputElement>(label);
}

/** Fills in the form, by default with {@link FORM_VALUES}. */
export function fillForm(values: Partial<Record<keyof typeof FORM_VALUES, string>> = {}): void {
  input("Email").value = values.email ?? FORM_VALUES.email;
  input("Password").value = values.password ?? FORM_VALUES.password;
  input("Age").value = values.age ?? FORM_VALUES.age;
}

/** Returns an element's accessible description. */
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
