import { expect, type Locator, type Page } from "@playwright/test";
import { randomUUID } from "node:crypto";

import type { BrowserErrors } from "./browser-errors";
import { waitForHydration } from "./hydration";
import type { Site } from "./site.mjs";

/** The generic message of a failed sign-up. */
export const SIGNUP_FAILED = "Signup failed. Please try again.";

/** What the form shows for the backend's rejection of `reject@`. */
export const EMAIL_TAKEN =
  "This email address is already registered. " +
  "Use a different email, or go to 127.0.0.1 if you already have an account there.";

/** The dialog's notice when a control of a sample ad opened it. */
export const SAMPLE_SENTENCE =
  "These ads are samples. Nobody receives a reply, and signing up unlocks no photos or further ads.";

/** A valid password with characters that must arrive unaltered. */
export const PASSWORD = ' correct "horse" & 🔑 ';

/** The values of the form's fields. */
export interface FormValues {
  readonly email: string;
  readonly password: string;
  readonly age: string;
}

/** Returns a unique e-mail address. Its local part selects the backend's response. */
export function newEmail(local = "visitor"): string {
  return `${local}@${randomUUID()}.example`;
}

/** The sign-up dialog, also if the service is unreachable or the account was created. */
export function joinDialog(page: Page): Locator {
  return page.getByRole("dialog", { name: /^Create your account$|^Sign-up isn’t available$|^You’re signed up$/ });
}

/**
 * Waits for the dialog's stylesheet, the last file that a page requests when it is idle: once a preview has ended, the page may
 * request nothing of it.
 */
export async function waitForDialogStyles(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    performance.getEntriesByType("resource").some(({ name }) => /\/assets\/signup\/.*\.css$/.test(name)),
  );
}

/** Opens a page, and waits for its heading and until it can be used; until then the shell shows the loading layout. */
export async function openPage(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(page.getByRole("main").getByRole("heading", { level: 1 })).toBeVisible();
  await waitForHydration(page);
}

/** Opens the dialog with the footer's button. */
export async function openDialog(page: Page): Promise<Locator> {
  await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
  const dialog = joinDialog(page);
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Fills in the form, by default with valid values, and returns them. */
export async function fillForm(form: Locator, typed: Partial<FormValues> = {}): Promise<FormValues> {
  const all = { email: newEmail(), password: PASSWORD, age: "34", ...typed };
  await form.getByLabel("Email").fill(all.email);
  await form.getByLabel("Password", { exact: true }).fill(all.password);
  await form.getByLabel("Age").fill(all.age);
  return all;
}

/** Expects the form to contain these values. */
export async function expectFormValues(form: Locator, { email, password, age }: FormValues): Promise<void> {
  await expect(form.getByLabel("Email")).toHaveValue(email);
  await expect(form.getByLabel("Password", { exact: true })).toHaveValue(password);
  await expect(form.getByLabel("Age")).toHaveValue(age);
}

/** Fills in and submits the form. */
export async function signUp(form: Locator, typed: Partial<FormValues> = {}): Promise<FormValues> {
  const all = await fillForm(form, typed);
  await form.getByRole("button", { name: "Continue" }).click();
  return all;
}

/** The backend's requests with this e-mail address. */
export function receivedFrom(site: Site, email: string): ReturnType<Site["backend"]["requests"]> {
  return site.backend.requests().filter(({ body }) => (body as { email?: unknown } | null)?.email === email);
}

/** Records the method and URL of every sign-up request the page sends from now on. */
export function recordSignupRequests(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/functions/")) sent.push(`${request.method()} ${request.url()}`);
  });
  return sent;
}

/**
 * Expects that the only browser errors are `count` failed sign-up requests, and clears them. The browser logs every
 * error response.
 */
export async function expectFailedSignups(browserErrors: BrowserErrors, count: number): Promise<void> {
  await expect.poll(() => browserErrors.errors).toHaveLength(count);
  for (const error of browserErrors.errors.splice(0)) {
    expect(error).toMatch(/^Failed to load resource: .* \(\S+\/functions\/v1\/signup\)$/);
  }
}
