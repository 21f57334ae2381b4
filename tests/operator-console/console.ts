import { expect, type Page } from "@playwright/test";

import type { Table } from "../support/config.mjs";
import { test as base, type Operated } from "../deployments/operator";

/** A site with its operator, and a page that shows its console. */
export interface Consoled extends Operated {
  /** The address of the console. */
  readonly url: string;
  readonly token: string;
}

interface ConsoleFixtures {
  /** Starts a separate site, and opens its console. The page must not make requests to other origins. */
  openConsole: (changes?: Table) => Promise<Consoled>;
}

/** The browser tests' `test` for the console. */
export const test = base.extend<ConsoleFixtures>({
  openConsole: async ({ page, operate }, use) => {
    const elsewhere: string[] = [];
    let origin = "";
    page.on("request", (request) => {
      if (!request.url().startsWith(`${origin}/`)) elsewhere.push(request.url());
    });
    await use(async (changes) => {
      const { own, operator } = await operate(changes);
      origin = own.gateway.admin;
      const url = `${origin}/console`;
      await page.goto(url);
      return { own, operator, url, token: operator.access.token };
    });
    expect(elsewhere, "requests to other origins").toEqual([]);
  },
});

/** Signs in with a token. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await expectLive(page);
}

/** Expects that events arrive. */
export async function expectLive(page: Page): Promise<void> {
  await expect(page.getByRole("status").filter({ hasText: /^Connected$/ })).toBeVisible();
}

/** Opens a page of the console. */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
}

export { expect };
