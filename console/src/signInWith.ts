// Sign-in at an identity provider, which sends the browser back with an authorization code.
import { ApiError, call } from "./api.js";
import type { SessionDescription } from "./openapi.js";
import { hrefOf, placeOf } from "./router.js";

// The page of the console that was open.
const KEY = "colonnade-console-sign-in";

// Each provider sends the browser back to a page of its own, so that no other one gets its code.
const PAGE = "sign-in";
const redirectUriOf = (provider: string): string => `${window.location.origin}${hrefOf(PAGE, provider)}`;

/** Leaves the console for the page of a provider. */
export async function signInWith(provider: string): Promise<void> {
  const body = { provider, redirectUri: redirectUriOf(provider) };
  const { url } = await call<{ readonly url: string }>("POST", "/sign-in", { body });
  sessionStorage.setItem(KEY, `${window.location.pathname}${window.location.search}`);
  window.location.assign(url);
}

/**
 * Takes what a provider sent with the browser out of the address, and starts the session of the person who has signed in.
 * Undefined if the browser does not come from a provider.
 */
export function completedSignIn(): Promise<SessionDescription> | undefined {
  const query = new URLSearchParams(window.location.search);
  if (!query.has("state")) return undefined;
  const { page: current, name: provider } = placeOf(window.location.pathname);
  const page = sessionStorage.getItem(KEY);
  // Also if this tab started no sign-in: the code must not stay in the address and the history.
  window.history.replaceState(null, "", page ?? hrefOf(""));
  if (page === null || current !== PAGE || provider === undefined) return undefined;
  sessionStorage.removeItem(KEY);
  const code = query.get("code");
  if (code === null) {
    const reason = query.get("error") ?? "without a reason";
    return Promise.reject(new ApiError(401, `${provider} refused to sign you in (${reason}).`));
  }
  const body = { provider, redirectUri: redirectUriOf(provider), code, state: query.get("state") };
  return call("POST", "/sign-in/complete", { body });
}
