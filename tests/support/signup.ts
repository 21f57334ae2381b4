import { expect, type Locator, type Page } from "@playwright/test";
import { randomUUID } from "node:crypto";

import type { Complaints } from "./fixtures";
import type { Site } from "./site.mjs";

/** Where the form sends to. */
export const SIGNUP_PATH = "/functions/v1/signup";

/** What failed sign-ups say that have nothing better to say. */
export const SIGNUP_FAILED = "Signup failed. Please try again.";

/** What the dialog says first where something of a sample opened it. */
export const SAMPLE_SENTENCE =
  "These ads are samples. Nobody receives a reply, and signing up unlocks no photos or further ads.";

/** A password that sign-up accepts, with everything in it that must not be altered on its way. */
export const PASSWORD = ' correct "horse" & 🔑 ';

/** What a visitor types. */
export interface Typed {
  readonly email: string;
  readonly password: string;
  readonly age: string;
}

/** An e-mail address nobody else uses. What is before the @ tells the backend what to answer. */
export function newAddress(local = "visitor"): string {
  return `${local}@${randomUUID()}.example`;
}

/** The sign-up dialog, by the heading of its form. */
export function joinDialog(page: Page): Locator {
  return page.getByRole("dialog", { name: "Create your account" });
}

/** Opens a page, and waits for it to be there: until then the frame around it is the loading page's. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(page.getByRole("main").getByRole("heading", { level: 1 })).toBeVisible();
}

/** Opens the dialog by the footer's button. */
export async function openDialog(page: Page): Promise<Locator> {
  await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
  const dialog = joinDialog(page);
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Fills the form in, acceptably unless told otherwise, and returns what was typed. */
export async function fillForm(form: Locator, typed: Partial<Typed> = {}): Promise<Typed> {
  const all = { email: newAddress(), password: PASSWORD, age: "34", ...typed };
  await form.getByLabel("E-mail").fill(all.email);
  await form.getByLabel("Password", { exact: true }).fill(all.password);
  await form.getByLabel("Age").fill(all.age);
  return all;
}

/** Expects what was typed to stand in the form. */
export async function expectTyped(form: Locator, { email, password, age }: Typed): Promise<void> {
  await expect(form.getByLabel("E-mail")).toHaveValue(email);
  await expect(form.getByLabel("Password", { exact: true })).toHaveValue(password);
  await expect(form.getByLabel("Age")).toHaveValue(age);
}

/** Fills the form in and sends it. */
export async function signUp(form: Locator, typed: Partial<Typed> = {}): Promise<Typed> {
  const all = await fillForm(form, typed);
  await form.getByRole("button", { name: "Continue" }).click();
  return all;
}

/** What the backend received of an e-mail address. */
export function receivedFrom(site: Site, email: string): ReturnType<Site["backend"]["requests"]> {
  return site.backend.requests().filter(({ body }) => (body as { email?: unknown } | null)?.email === email);
}

/** The addresses of all requests for sign-up that a page sends from now on. */
export function watchSignups(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/functions/")) sent.push(`${request.method()} ${request.url()}`);
  });
  return sent;
}

/**
 * Expects that the browser reported failed sign-up requests and nothing else, and takes that off the
 * list: it reports every answer that is an error by itself.
 */
export async function expectFailedSignups(complaints: Complaints, count: number): Promise<void> {
  await expect.poll(() => complaints.errors).toHaveLength(count);
  for (const error of complaints.errors.splice(0)) {
    expect(error).toMatch(/^Failed to load resource: .* \(\S+\/functions\/v1\/signup\)$/);
  }
}
