// The image of deploy/container serves rendered pages in the environment of deploy/kubernetes: another user than root, a read-only
// root, no capabilities, and the seccomp profile.
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import https from "node:https";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

import { createToken } from "../support/config.mjs";
import { expect, test } from "../support/own-pages";
import { PACKAGES, ROOT } from "../support/repository.mjs";
import { COMMAND, runCommand } from "../support/section-command";
import { writeCertificate } from "./certificate";
import { buildImage, canRunContainers, restrictToGroup, seccompProfile, startContainer } from "./container";
import { build, configuration, podSpec } from "./manifests";
import { isInstalled, pythonPackages, run } from "./tools";

const HOST = "site.example";
const PUBLISHED = PACKAGES.filter((folder) => /shell|legal/.test(folder));

test.describe.configure({ mode: "default" });

/** Requests a path of the site, or of the admin listener with `ca`. */
function get(url: string, headers: http.OutgoingHttpHeaders, ca?: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const answer = (response: http.IncomingMessage) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => (body += part));
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, body });
      });
    };
    const request = ca === undefined ? http.get(url, { headers }, answer) : https.get(url, { headers, ca }, answer);
    request.on("error", reject);
  });
}

test("hadolint has no complaint about the Dockerfile", async () => {
  const packages = await pythonPackages();
  test.skip(!packages, "hadolint cannot be installed");
  await run(path.join(packages ?? "", "bin/hadolint"), [path.join(ROOT, "deploy/container/Dockerfile")]);
});

test("The image serves rendered pages with the restrictions of the manifests", async () => {
  test.skip(!canRunContainers(), "buildah and runc are not installed, or this user is not root");
  test.skip(!isInstalled("kubectl"), "kubectl is not installed");
  const manifests = await build("single-node", ["ingress", "seccomp"]);
  const pod = podSpec(manifests);
  const [{ args, ports }] = pod.containers;
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-container-"));
  try {
    const image = await buildImage(folder);
    const { runAsUser: uid, runAsGroup: gid, seccompProfile: profile } = pod.securityContext;
    expect(profile).toEqual({ type: "Localhost", localhostProfile: "profiles/colonnade.json" });
    expect(image.config).toMatchObject({
      User: `${String(uid)}:${String(gid)}`,
      Entrypoint: ["/usr/bin/gateway"],
      Cmd: args,
      ExposedPorts: Object.fromEntries(ports.map(({ containerPort }) => [`${String(containerPort)}/tcp`, {}])),
    });

    const { file, settings } = configuration(manifests);
    const { token, hash } = createToken();
    const actions = ["publish", "deploy", "metrics"];
    await writeFile(path.join(folder, "site.toml"), file);
    const secret = path.join(folder, "admin-tls");
    await writeCertificate(secret, HOST);
    await restrictToGroup(path.join(secret, "tls.key"), gid);
    const certificate = path.join(secret, "tls.crt");
    const seccomp = await seccompProfile();
    const container = await startContainer(folder, image, pod, {
      args: [...image.config.Entrypoint, ...args],
      env: {
        ...settings,
        // The ports may be in use on this machine.
        COLONNADE_LISTEN__SITE: "127.0.0.1:0",
        COLONNADE_LISTEN__ADMIN: "127.0.0.1:0",
        COLONNADE_LIMITS__SHUTDOWN_DELAY_MS: "0",
        // A busy machine, and the unoptimized engine of a debug build.
        COLONNADE_RENDER__DEADLINE_MS: "30000",
        COLONNADE_RENDER__CPU_LIMIT_MS: "10000",
        COLONNADE_ADMIN__TOKENS: `[{ name = "test", hash = "${hash}", sections = ["*"], actions = ${JSON.stringify(actions)} }]`,
      },
      mounts: [
        { from: path.join(folder, "site.toml"), to: "/etc/colonnade/site.toml" },
        { from: secret, to: "/run/secrets/colonnade/admin-tls" },
      ],
      volumes: ["/var/lib/colonnade", "/run/colonnade"],
      seccomp,
    });
    const events: Record<string, unknown>[] = [];
    let errors = "";
    container.process.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
    const listening = new Promise<{ site: string; admin: string }>((resolve, reject) => {
      createInterface({ input: container.process.stdout ?? process.stdin }).on("line", (line) => {
        const event = JSON.parse(line) as { event?: string; site: string; admin: string };
        events.push(event);
        if (event.event === "listening") resolve(event);
      });
      void once(container.process, "exit").then(() => {
        reject(new Error(`the container has ended: ${errors}`));
      });
    });
    try {
      const { site, admin } = await listening;
      // Node.js reads the certificate when it starts.
      const access = { COLONNADE_ADMIN: `https://${admin}`, COLONNADE_TOKEN: token, NODE_EXTRA_CA_CERTS: certificate };
      const section = (folder: string, ...args: string[]) =>
        runCommand(folder, [process.execPath, COMMAND, ...args], { ...process.env, ...access });
      const releases: string[] = [];
      for (const published of PUBLISHED) {
        const output = await section(published, "publish");
        releases.push(/\S+@\S+/.exec(output)?.[0] ?? "");
      }
      await section(ROOT, "deploy", ...releases);
      const page = await get(`http://${site}/terms`, { host: HOST });
      expect(page.status).toBe(200);
      expect(page.body).toMatch(/<h1[^>]*>/);
      const metrics = await get(
        `https://${admin}/metrics`,
        { authorization: `Bearer ${token}` },
        await readFile(certificate, "utf8"),
      );
      expect(metrics.body).toMatch(/^colonnade_renders_total\{.*outcome="rendered".*\} [1-9]/m);
      const problems = events.filter(({ level }) => level === "WARN" || level === "ERROR");
      expect(problems).toEqual([]);
      expect(await container.stop()).toBe(0);
    } finally {
      await container.stop();
    }

    // The profile is in effect: this program may do in it what the gateway need not do. It has the libraries of the gateway.
    const unshare = await startContainer(folder, image, pod, {
      args: ["/usr/bin/unshare", "--user", "/usr/bin/gateway", "--version"],
      env: {},
      mounts: [{ from: "/usr/bin/unshare", to: "/usr/bin/unshare" }],
      volumes: [],
      seccomp,
    });
    let refused = "";
    unshare.process.stderr?.setEncoding("utf8").on("data", (text: string) => (refused += text));
    await once(unshare.process, "close");
    expect(refused).toContain("Function not implemented");
  } finally {
    await run("buildah", [
      ...["--root", path.join(folder, "storage"), "--runroot", path.join(folder, "state"), "--storage-driver", "vfs"],
      ...["umount", "--all"],
    ]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
});
