import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Writable } from "node:stream";

import { expect, test, type Page } from "@playwright/test";

import { main } from "../../packages/cli/dist/cli/index.js";

import { writeConfig } from "../support/config.mjs";
import { startGateway } from "../support/gateway.mjs";
import { GROUP, startIdentityProvider } from "../support/identity-provider.mjs";
import { expectLive } from "./console";

/** Signs in at the provider, and consents. */
async function signInAtProvider(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder("Enter any login").fill(name);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

/** Keeps what is written to it. */
class Output extends Writable {
  text = "";

  override _write(chunk: unknown, _: BufferEncoding, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}

test("A person signs in at an identity provider, in the console and on the command line", async ({ page }) => {
  const identityProvider = await startIdentityProvider();
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-login-"));
  const secretFile = path.join(folder, "secret");
  await writeFile(secretFile, identityProvider.clientSecret);
  const config = await writeConfig(folder, {
    listen: { site: "127.0.0.1:0", admin: "127.0.0.1:0" },
    store: { folder: "store" },
    admin: {
      identity_providers: [
        {
          name: "acme",
          issuer: identityProvider.issuer,
          client_id: "console",
          client_secret: { file: secretFile },
          device_client_id: "cli",
          scopes: ["openid", "email", "groups"],
          name_claim: "email",
        },
      ],
      grants: [{ provider: "acme", claims: { groups: GROUP }, sections: ["*"], actions: ["deploy", "rollback"] }],
    },
  });
  const gateway = await startGateway(config);
  const { admin } = gateway;
  identityProvider.serve(`${admin}/console/sign-in/acme`);

  await test.step("The console", async () => {
    await page.goto(`${admin}/console/history`);
    await page.getByRole("button", { name: "Sign in with acme" }).click();
    await signInAtProvider(page, "ada");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("History");
    await expectLive(page);
    await expect(page.getByText("acme:ada@acme.example")).toBeVisible();
    expect(page.url()).toBe(`${admin}/console/history`);
    await page.reload();
    await expectLive(page);
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page.getByRole("button", { name: "Sign in with acme" })).toBeVisible();
  });

  await test.step("The command line", async () => {
    const environment = { COLONNADE_ADMIN: admin, XDG_CONFIG_HOME: folder };
    const [stdout, stderr] = [new Output(), new Output()];
    const context = { folder, environment, stdout, stderr };
    const done = main(["login"], context);
    await expect(() => {
      expect(stderr.text).toMatch(/code \S+\n/);
    }).toPass();
    const [, url = "", code = ""] = /^Open (\S+) and enter the code (\S+)\n$/.exec(stderr.text) ?? [];
    await page.goto(url);
    await page.getByRole("textbox").fill(code);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    expect(await done, stderr.text).toBe(0);
    expect(stdout.text).toBe(`signed in at ${admin} as acme:ada@acme.example\n`);
    expect(await main(["history"], context)).toBe(0);
    expect(await main(["logout"], context)).toBe(0);
    expect(stdout.text).toContain(`signed out from ${admin}\n`);
  });
  await gateway.stop();
  identityProvider.stop();
  await rm(folder, { recursive: true });
});
