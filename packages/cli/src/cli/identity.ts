// ID tokens of OpenID Connect: of a job of GitHub Actions, and of a person who has signed in.
import { GatewayError, UsageError } from "../build/usageError.js";
import { lockCredentials, readCredentials, writeCredentials, type Credentials } from "./credentials.js";
import { isPrivate, sendRequest } from "./http.js";

/** An identity provider whose ID tokens a gateway accepts. */
export interface IdentityProvider {
  readonly name: string;
  readonly issuer: string;
  /** The client of `colonnade login`. */
  readonly deviceClientId: string | null;
  readonly scopes: readonly string[];
}

/** The endpoints of an issuer (OpenID Connect Discovery 1.0). */
export interface Endpoints {
  readonly issuer: string;
  readonly token_endpoint: string;
  readonly device_authorization_endpoint?: string;
  readonly revocation_endpoint?: string;
}

/** What a token endpoint responds with. */
export interface TokenResponse {
  readonly id_token?: string;
  readonly refresh_token?: string;
  /** Why there are no tokens (RFC 6749, section 5.2). */
  readonly error?: string;
}

interface ProviderRequest {
  readonly headers?: Record<string, string>;
  readonly form?: object;
}

interface ProviderResponse {
  readonly status: number;
  readonly text: string;
}

// A token that expires on its way is refused.
const MARGIN_MS = 60_000;

/**
 * Sends a request to an identity provider, and reads the response.
 *
 * @throws GatewayError when it is unreachable, or `read` rejects the response.
 */
async function callProvider<Data>(
  url: string,
  { headers, form }: ProviderRequest,
  read: (response: ProviderResponse) => Data,
): Promise<Data> {
  // Whoever reads the traffic would have the tokens.
  if (!isPrivate(url)) throw new UsageError(`${url} of the identity provider is not encrypted`);
  const body = form && {
    type: "application/x-www-form-urlencoded",
    bytes: new URLSearchParams({ ...form }).toString(),
  };
  const method = form ? "POST" : "GET";
  try {
    return read(await sendRequest(url, method, { headers: { accept: "application/json", ...headers }, body }));
  } catch (error) {
    // The message of a syntax error quotes the response.
    const reason = error instanceof SyntaxError ? "it did not return JSON" : String(error);
    throw new GatewayError(`cannot use the identity provider: ${url}: ${reason}`, "unavailable");
  }
}

function callForJson<Data>(url: string, options: ProviderRequest = {}): Promise<Data> {
  return callProvider(url, options, ({ status, text }) => {
    // Other errors are of the request, and have JSON with an `error` (RFC 6749, section 5.2).
    if (status === 429 || status >= 500) throw new Error(`it responded with status ${String(status)}`);
    return JSON.parse(text) as Data;
  });
}

/** Reads the endpoints of an issuer. */
export async function readEndpoints(issuer: string): Promise<Endpoints> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const endpoints = await callForJson<Endpoints>(url);
  if (endpoints.issuer !== issuer) throw new UsageError(`${url} is of another issuer; expected ${issuer}`);
  return endpoints;
}

/** Posts a form to an endpoint of an issuer. */
export function postForm<Data>(url: string, form: object): Promise<Data> {
  return callForJson(url, { form });
}

/**
 * Revokes a refresh token at an endpoint of an issuer (RFC 7009). Only the status says whether it did: the response has
 * no content.
 *
 * @throws GatewayError when it did not.
 */
export function revokeToken(url: string, { clientId, refreshToken }: Credentials): Promise<void> {
  const form = { token: refreshToken, client_id: clientId };
  return callProvider(url, { form }, ({ status }) => {
    if (status !== 200) throw new Error(`it responded with status ${String(status)}`);
  });
}

function isFresh(token: string): boolean {
  try {
    const [, claims = ""] = token.split(".");
    const { exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { readonly exp: number };
    return exp * 1000 > Date.now() + MARGIN_MS;
  } catch {
    return false;
  }
}

/**
 * The ID token of this job for an audience, if GitHub Actions offers one: if the job has the permission
 * `id-token: write`. The gateway must not choose the audience: it could ask for a token that another service accepts.
 */
export async function githubToken(
  { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token }: NodeJS.ProcessEnv,
  audience: string,
): Promise<string | undefined> {
  if (!url || !token) return undefined;
  const target = `${url}&audience=${encodeURIComponent(audience)}`;
  const headers = { authorization: `Bearer ${token}` };
  const { value } = await callForJson<{ readonly value?: string }>(target, { headers });
  if (value === undefined) throw new GatewayError("GitHub did not return an ID token", "unavailable");
  return value;
}

/**
 * The ID token of the person who has signed in at the gateway with this admin URL.
 *
 * @throws GatewayError when the person has to sign in again, or the provider fails.
 */
export async function personToken(environment: NodeJS.ProcessEnv, url: string): Promise<string | undefined> {
  const credentials = readCredentials(environment, url);
  if (!credentials || isFresh(credentials.idToken)) return credentials?.idToken;
  return lockCredentials(environment, () => refreshedToken(environment, url));
}

/** The ID token, refreshed unless another command has done so. The caller holds the lock. */
async function refreshedToken(environment: NodeJS.ProcessEnv, url: string): Promise<string | undefined> {
  const credentials = readCredentials(environment, url);
  if (!credentials || isFresh(credentials.idToken)) return credentials?.idToken;
  const next = await refreshed(credentials);
  writeCredentials(environment, url, next);
  if (next.idToken === credentials.idToken)
    throw new GatewayError(`${next.issuer} returned no ID token; sign in with \`colonnade login\``, "unauthorized");
  return next.idToken;
}

/** Credentials with the next tokens. A response without an ID token may have a refresh token (OpenID Connect Core 1.0, section 12.2). */
async function refreshed(credentials: Credentials): Promise<Credentials> {
  const { issuer, clientId, refreshToken } = credentials;
  const expired = new GatewayError("your session has ended; sign in with `colonnade login`", "unauthorized");
  if (refreshToken === undefined) throw expired;
  const { token_endpoint: endpoint } = await readEndpoints(issuer);
  const form = { grant_type: "refresh_token", refresh_token: refreshToken, client_id: clientId };
  const { id_token, refresh_token, error } = await postForm<TokenResponse>(endpoint, form);
  if (error === "invalid_grant") throw expired;
  if (error !== undefined) throw new GatewayError(`${issuer} refused: ${error}`, "rejected");
  return { ...credentials, idToken: id_token ?? credentials.idToken, refreshToken: refresh_token ?? refreshToken };
}
