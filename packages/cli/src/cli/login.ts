import { setTimeout } from "node:timers/promises";

import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { GatewayError, UsageError } from "../build/usageError.js";
import { adminTarget, adminUrl, callAdmin, readProviders } from "./api.js";
import { openInBrowser } from "./browser.js";
import type { CommandContext } from "./context.js";
import { lockCredentials, readCredentials, writeCredentials, type Credentials } from "./credentials.js";
import { postForm, readEndpoints, revokeToken, type IdentityProvider, type TokenResponse } from "./identity.js";
import { printable } from "./printable.js";

/** The start of a device authorization (RFC 8628, section 3.2). */
interface DeviceAuthorization {
  readonly device_code?: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete?: string;
  /** In seconds. */
  readonly expires_in: number;
  readonly interval?: number;
}

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
const UNAVAILABLE = "temporarily_unavailable";

/** Adds `colonnade login`. */
export function addLoginCommand(program: CommandUnknownOpts, context: CommandContext): void {
  const { environment, printResult } = context;
  program
    .command("login")
    .summary("sign in at the gateway as a person")
    .description(
      "Signs in at an identity provider of the gateway, in a browser on any machine. Later commands use its ID token " +
        "unless COLONNADE_TOKEN is set. The tokens are kept in ~/.config/colonnade, readable by you only.",
    )
    .option("--provider <name>", "the identity provider, if the gateway has several for people")
    .action(async ({ provider: name }) => {
      const target = adminTarget(environment);
      const { url } = target;
      const provider = chooseProvider(await readProviders(target), name);
      const credentials = await signIn(provider, context);
      const access = { ...target, token: credentials.idToken };
      const { body } = await callAdmin<{ readonly token: string }>(access, "GET", "/api/v1/session");
      await lockCredentials(environment, () => {
        writeCredentials(environment, url, credentials);
      });
      printResult({ text: `signed in at ${url} as ${body.token}`, data: { url, name: body.token } });
    });
}

/** Adds `colonnade logout`. */
export function addLogoutCommand(program: CommandUnknownOpts, { environment, printResult }: CommandContext): void {
  program
    .command("logout")
    .summary("sign out from the gateway")
    .description(
      "Deletes the tokens that `colonnade login` has kept for the gateway, and revokes them at the provider.",
    )
    .action(async () => {
      const url = adminUrl(environment);
      const credentials = await lockCredentials(environment, () => {
        const kept = readCredentials(environment, url);
        if (kept) writeCredentials(environment, url);
        return kept;
      });
      if (!credentials) {
        printResult({ text: "not signed in", data: { url, signedOut: false } });
        return;
      }
      const warnings = await revoke(credentials);
      printResult({ text: `signed out from ${url}`, data: { url, signedOut: true, warnings }, warnings });
    });
}

function chooseProvider(providers: readonly IdentityProvider[], name: string | undefined): IdentityProvider {
  const usable = providers.filter(({ deviceClientId }) => deviceClientId !== null);
  const named = name === undefined ? usable : usable.filter((provider) => provider.name === name);
  const [provider, ...others] = named;
  if (provider && others.length === 0) return provider;
  if (usable.length === 0)
    throw new UsageError("the gateway has no identity provider with `device_client_id`; ask its operator for a token");
  throw new UsageError(`expected --provider with one of ${usable.map((usable) => usable.name).join(", ")}`);
}

/** Signs in with the device authorization grant (RFC 8628). */
async function signIn(
  { issuer, deviceClientId, scopes }: IdentityProvider,
  context: CommandContext,
): Promise<Credentials> {
  const clientId = deviceClientId ?? "";
  const { device_authorization_endpoint: start, token_endpoint: endpoint } = await readEndpoints(issuer);
  if (start === undefined) throw new UsageError(`${issuer} does not offer the device authorization grant`);
  const scope = [...new Set([...scopes, "offline_access"])].join(" ");
  const device = await postForm<DeviceAuthorization & TokenResponse>(start, { client_id: clientId, scope });
  const { device_code: code, user_code: userCode, verification_uri: page } = device;
  if (code === undefined)
    throw new GatewayError(`${issuer} refused to start: ${device.error ?? "no code"}`, "rejected");
  context.stderr.write(`${printable(`Open ${page} and enter the code ${userCode}`)}\n`);
  await openInBrowser(device.verification_uri_complete ?? page, context);
  const form = { grant_type: GRANT_TYPE, device_code: code, client_id: clientId };
  const until = Date.now() + device.expires_in * 1000;
  for (let seconds = device.interval ?? 5; Date.now() < until;) {
    await setTimeout(seconds * 1000);
    const tokens = await poll(endpoint, form);
    const { id_token: idToken, refresh_token: refreshToken, error } = tokens;
    if (idToken !== undefined) return { issuer, clientId, idToken, refreshToken };
    if (error === "slow_down") seconds += 5;
    // After a timeout, requests must become rarer (RFC 8628, section 3.5).
    else if (error === UNAVAILABLE) seconds *= 2;
    else if (error !== "authorization_pending")
      throw new GatewayError(`${issuer} refused: ${error ?? "no ID token"}`, "unauthorized");
  }
  throw new GatewayError("nobody signed in in time; try again", "unauthorized");
}

/** Asks for the tokens. While the provider cannot be used, they are still to come. */
async function poll(endpoint: string, form: object): Promise<TokenResponse> {
  try {
    return await postForm(endpoint, form);
  } catch (error) {
    if (error instanceof GatewayError && error.kind === "unavailable") return { error: UNAVAILABLE };
    throw error;
  }
}

/** Revokes the refresh token, if there is one. Returns what went wrong. */
async function revoke(credentials: Credentials): Promise<string[]> {
  const { issuer, refreshToken } = credentials;
  if (refreshToken === undefined) return [];
  try {
    const { revocation_endpoint: endpoint } = await readEndpoints(issuer);
    if (endpoint === undefined) return [`${issuer} cannot revoke the refresh token; it expires by itself`];
    await revokeToken(endpoint, credentials);
    return [];
  } catch (error) {
    return [`the refresh token is not revoked: ${error instanceof Error ? error.message : String(error)}`];
  }
}
