// A real identity provider of OpenID Connect, whose pages sign in anyone as the person whose name they enter.
import { once } from "node:events";
import { createServer } from "node:http";

// @ts-expect-error -- the package has no types
import { Provider } from "oidc-provider";

/** The group of everyone. */
export const GROUP = "release-managers";

/** Starts a provider. Its clients are `console`, which comes back to `redirectUris()`, and `cli`. */
export async function startIdentityProvider() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  const issuer = `http://127.0.0.1:${String(address.port)}`;
  return {
    issuer,
    clientSecret: "secret-of-the-console",
    /** @param {string} redirectUri where the console's client comes back to */
    serve(redirectUri) {
      const provider = new Provider(issuer, {
        clients: [
          { client_id: "console", client_secret: this.clientSecret, redirect_uris: [redirectUri] },
          {
            client_id: "cli",
            application_type: "native",
            token_endpoint_auth_method: "none",
            grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
            response_types: [],
            redirect_uris: [],
          },
        ],
        claims: { openid: ["sub"], email: ["email"], groups: ["groups"] },
        // Claims of a scope are in the ID token, as at the providers of most companies.
        conformIdTokenClaims: false,
        cookies: { keys: ["a key of the tests"] },
        features: { deviceFlow: { enabled: true }, revocation: { enabled: true } },
        findAccount: (/** @type {unknown} */ _, /** @type {string} */ name) => ({
          accountId: name,
          claims: () => ({ sub: name, email: `${name}@acme.example`, groups: ["staff", GROUP] }),
        }),
      });
      const handle = provider.callback();
      server.on("request", (request, response) => void handle(request, response));
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
