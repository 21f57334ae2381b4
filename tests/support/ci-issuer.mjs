// The issuer of a CI. Its ID tokens say for which repository a job runs, and a job gets its own as in GitHub Actions.
import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const LIFETIME_SECONDS = 600;

/** @param {object} value */
const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Starts an issuer. */
export async function startCiIssuer() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = { ...publicKey.export({ format: "jwk" }), kid: "ci", use: "sig", alg: "ES256" };
  let issuer = "";

  /** The ID token of a job on the main branch. @param {string} repository @param {string} audience */
  function tokenOf(repository, audience) {
    const now = Math.floor(Date.now() / 1000);
    const ref = "refs/heads/main";
    const claims = { iss: issuer, aud: audience, sub: `repo:${repository}:ref:${ref}`, repository, ref };
    const times = { iat: now, nbf: now, exp: now + LIFETIME_SECONDS };
    const signed = `${encode({ alg: "ES256", kid: key.kid })}.${encode({ ...claims, ...times })}`;
    const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  }

  /** @param {URL} url */
  function responseTo({ pathname, searchParams }) {
    if (pathname === "/.well-known/openid-configuration") return { issuer, jwks_uri: `${issuer}/keys` };
    if (pathname === "/keys") return { keys: [key] };
    return { value: tokenOf(searchParams.get("repository") ?? "", searchParams.get("audience") ?? "") };
  }

  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(responseTo(new URL(request.url ?? "/", issuer))));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  issuer = `http://127.0.0.1:${String(address.port)}`;
  return {
    issuer,
    tokenOf,
    /**
     * The environment of a job, with which `colonnade` requests an ID token for the gateway.
     *
     * @param {string} repository
     */
    environmentOf(repository) {
      return {
        ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer}/job?repository=${encodeURIComponent(repository)}`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: "token-of-the-job",
      };
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
