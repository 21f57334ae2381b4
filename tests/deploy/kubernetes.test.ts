// The manifests in deploy/kubernetes fit the API of Kubernetes, the gateway, and each other.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { Ajv2020, type AnySchemaObject } from "ajv/dist/2020.js";
import { PrometheusRule, ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";

import { expect, test } from "../support/own-pages";
import { GATEWAY_BINARY, ROOT } from "../support/repository.mjs";
import { writeCertificate } from "./certificate";
import { build, buildFolder, buildKustomization, configuration, find, podSpec, type Manifest } from "./manifests";
import { isInstalled, pythonPackages, run } from "./tools";

/** The oldest version that the manifests need, for `preStop.sleep`, and the newest one with a schema. */
const KUBERNETES_VERSIONS = ["1.30.0", "1.37.0"];

/** Installations, each with an overlay and components. Together they have every part. */
const INSTALLATIONS: readonly (readonly [overlay: string, components: readonly string[]])[] = [
  ["single-node", ["ingress"]],
  ["s3", ["ingress", "monitoring"]],
  ["s3", ["load-balancer", "monitoring", "seccomp"]],
];

interface Config {
  listen: { site: string; admin: string; trusted_proxies: string[]; admin_tls: { certificate: string; key: string } };
  limits: { shutdown_delay_ms: number; drain_timeout_ms: number };
  store: { folder: string };
}

test.describe.configure({ mode: "default" });
test.skip(!isInstalled("kubectl"), "kubectl is not installed (Debian's package kubectl)");

/** Returns the problems of an object by the strict schema of a version of Kubernetes. */
async function schemaValidator(folder: string): Promise<(manifest: Manifest) => Promise<string[]>> {
  const read = async (name: string) => JSON.parse(await readFile(path.join(folder, name), "utf8")) as AnySchemaObject;
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    schemas: { "https://kubernetes.io/api/_definitions.json": await read("_definitions.json") },
  });
  return async (manifest) => {
    const group = manifest.apiVersion.split("/").map((part) => part.split(".")[0] ?? "");
    const schema = await read(`${[manifest.kind.toLowerCase(), ...group].join("-")}.json`);
    const validate = ajv.getSchema(String(schema.$id)) ?? ajv.compile(schema);
    void validate(manifest);
    return (validate.errors ?? []).map(
      ({ instancePath, message = "", params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

test("The manifests fit the schemas of Kubernetes and of the Prometheus Operator", async () => {
  const packages = await pythonPackages();
  test.skip(!packages, "kubernetes-validate cannot be installed");
  const built = await Promise.all(INSTALLATIONS.map((parts) => build(...parts)));
  // Most objects are the same in several installations.
  const manifests = [...new Map(built.flat().map((manifest) => [JSON.stringify(manifest), manifest])).values()];
  const isCustom = ({ apiVersion }: Manifest) => apiVersion.startsWith("monitoring.coreos.com/");
  for (const version of KUBERNETES_VERSIONS) {
    const schemas = `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict`;
    const problems = await schemaValidator(path.join(packages ?? "", schemas));
    for (const manifest of manifests.filter((manifest) => !isCustom(manifest)))
      expect.soft(await problems(manifest), `${version} ${manifest.kind} ${manifest.metadata.name}`).toEqual([]);
  }
  const custom = manifests.filter(isCustom);
  expect(custom.map(({ kind }) => kind).sort()).toEqual(["PrometheusRule", "ServiceMonitor"]);
  // The classes validate their own data.
  for (const manifest of custom)
    (manifest.kind === "ServiceMonitor"
      ? new ServiceMonitor(manifest as ConstructorParameters<typeof ServiceMonitor>[0])
      : new PrometheusRule(manifest as ConstructorParameters<typeof PrometheusRule>[0])
    ).validate();
  const namespaces = manifests.map(({ kind, metadata }) => (kind === "Namespace" ? metadata.name : metadata.namespace));
  expect(new Set(namespaces)).toEqual(new Set(["colonnade"]));
});

for (const [overlay, components] of INSTALLATIONS) {
  const name = [overlay, ...components].join(" + ");

  test(`${name}: the gateway accepts the configuration`, async () => {
    const { file, settings } = configuration(await build(overlay, components));
    const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-config-"));
    try {
      const inFolder = (text: string) => text.replaceAll(/\/(run\/secrets|var\/lib|run)\/colonnade/g, `${folder}/$1`);
      for (const secret of ["admin-tls", "tls"])
        await writeCertificate(path.join(folder, "run/secrets", secret), "site.example");
      const config = path.join(folder, "site.toml");
      await writeFile(config, inFolder(file));
      const env = Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, inFolder(value)]));
      const { stdout } = await run(GATEWAY_BINARY, ["check", "--config", config], { env });
      expect(stdout.trimEnd().split("\n").at(-1)).toBe("ok");
      for (const variable of Object.keys(settings)) expect(stdout).toContain(`is set by ${variable}\n`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test(`${name}: pods, configuration and network fit each other`, async () => {
    const manifests = await build(overlay, components);
    const { file, settings } = configuration(manifests);
    const config = parseToml(file) as unknown as Config;
    const pod = podSpec(manifests);
    const [container] = pod.containers;

    // Connections drain before the container is killed.
    const { shutdown_delay_ms: delay, drain_timeout_ms: drain } = config.limits;
    const needed = container.lifecycle.preStop.sleep.seconds + (delay + drain) / 1000;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(needed);

    const addresses = [config.listen.site, config.listen.admin, settings.COLONNADE_LISTEN__REDIRECT_HTTP];
    expect(container.ports.map(({ containerPort }) => `0.0.0.0:${String(containerPort)}`).sort()).toEqual(
      addresses.filter(Boolean).sort(),
    );
    expect(container.livenessProbe.httpGet).toMatchObject({ path: "/healthz", port: "site" });
    expect(container.readinessProbe.httpGet).toMatchObject({ path: "/readyz", port: "site" });

    // Files that the configuration names are on volumes, and no other user can read secrets.
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
    const { certificate, key } = config.listen.admin_tls;
    const names = [certificate, key, config.store.folder, ...Object.values(settings)].filter((text) =>
      text.startsWith("/"),
    );
    for (const text of names) expect(mounts.some((mount) => text.startsWith(`${mount}/`))).toBe(true);
    for (const { secret } of pod.volumes) if (secret) expect(secret.defaultMode & 0o007).toBe(0);
    expect(manifests.filter(({ kind }) => kind === "Secret")).toEqual([]);
    const literals = (container.env ?? []).filter(({ value }) => value !== undefined);
    expect(literals).toEqual([]);

    // The local cache fits into its volume.
    const cache = pod.volumes.find(({ name }) => name === "cache")?.emptyDir?.sizeLimit;
    const mebibytes = Number(settings.COLONNADE_STORE__CACHE_MIB ?? 0);
    expect(cache === undefined).toBe(overlay === "single-node");
    if (cache) expect(Number(/^(\d+)Gi$/.exec(cache)?.[1]) * 1024).toBeGreaterThan(mebibytes);

    // What Pod Security calls `restricted`.
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 });
    expect(pod.securityContext.seccompProfile.type).toMatch(/^(RuntimeDefault|Localhost)$/);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });

    // Policies and services name ports of the container.
    const ports = container.ports.map((port) => port.name);
    const named = manifests.flatMap(({ kind, spec }) =>
      kind === "NetworkPolicy" || kind === "Service"
        ? [...JSON.stringify(spec).matchAll(/"(?:port|targetPort)":"(\w+)"/g)].map(([, port = ""]) => port)
        : [],
    );
    expect(ports).toEqual(expect.arrayContaining(named));
    expect(named).toEqual(expect.arrayContaining(["site", "admin"]));
  });
}

test("The kustomization of the guide replaces image, host, configuration and settings", async () => {
  const guide = await readFile(path.join(ROOT, "docs/operate/kubernetes.md"), "utf8");
  const block = /```yaml \[kustomization\.yaml\]\n(.*?)```/s.exec(guide)?.[1] ?? "";
  const manifests = await buildKustomization(block);
  expect(configuration(manifests).file).toBe(await readFile(path.join(ROOT, "site.toml"), "utf8"));
  expect(Object.keys(configuration(manifests).settings).sort()).toEqual([
    ...["COLONNADE_STORE__CACHE_MIB", "COLONNADE_STORE__REGION", "COLONNADE_STORE__URL"],
  ]);
  expect(podSpec(manifests).containers[0].image).toBe("registry.example/colonnade:0.1.0");
  expect(manifests.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["Ingress", "ServiceMonitor"]));
});

test("The monitoring component has the rules and the dashboard of deploy/observability", async () => {
  const manifests = await buildFolder(path.join(ROOT, "deploy/observability"));
  const read = (name: string) => readFile(path.join(ROOT, "deploy/observability", name), "utf8");
  const rules: unknown = parseYaml(await read("rules.yml"));
  expect(find(manifests, "PrometheusRule").spec, "run `make prometheus-rule`").toEqual(rules);
  expect(find(manifests, "ConfigMap").data?.["dashboard.json"]).toBe(await read("dashboard.json"));
});
