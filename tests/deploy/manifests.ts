/** Manifests as an installation builds them. */
import { copyFile, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { parseAllDocuments } from "yaml";

import { ROOT } from "../support/repository.mjs";
import { run } from "./tools";

/** An object of Kubernetes. Only the fields that tests read have types. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string; readonly defaultMode: number };
  readonly configMap?: { readonly name: string };
  readonly emptyDir?: { readonly sizeLimit: string };
  readonly persistentVolumeClaim?: object;
}

export interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: {
    readonly runAsUser: number;
    readonly runAsGroup: number;
    readonly seccompProfile: { readonly type: string; readonly localhostProfile?: string };
  };
  readonly containers: readonly [Container];
  readonly volumes: readonly Volume[];
}

const built = new Map<string, Promise<Manifest[]>>();

/** Builds an installation with these parts of deploy/kubernetes, once. */
export function build(overlay: string, components: readonly string[]): Promise<Manifest[]> {
  const kustomization = {
    namespace: "colonnade",
    resources: [`colonnade/deploy/kubernetes/overlays/${overlay}`],
    components: components.map((name) => `colonnade/deploy/kubernetes/components/${name}`),
  };
  // JSON is YAML.
  const text = JSON.stringify(kustomization);
  const building = built.get(text) ?? buildKustomization(text);
  built.set(text, building);
  return building;
}

/** Builds a kustomization in a folder with a configuration, and this repository as `colonnade`. */
export async function buildKustomization(text: string): Promise<Manifest[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-kustomize-"));
  try {
    await symlink(ROOT, path.join(folder, "colonnade"));
    await copyFile(path.join(ROOT, "site.toml"), path.join(folder, "site.toml"));
    await writeFile(path.join(folder, "kustomization.yaml"), text);
    return await buildFolder(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Builds the kustomization in a folder. */
export async function buildFolder(folder: string): Promise<Manifest[]> {
  const { stdout } = await run("kubectl", ["kustomize", folder], { maxBuffer: 64 * 1024 * 1024 });
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

/** The only object of a kind whose name begins with `name`. */
export function find(manifests: readonly Manifest[], kind: string, name = "colonnade"): Manifest {
  const found = manifests.filter((manifest) => manifest.kind === kind && manifest.metadata.name.startsWith(name));
  const [only] = found;
  if (!only || found.length > 1) throw new Error(`${String(found.length)} objects ${kind} ${name}`);
  return only;
}

/** The pods of the gateways. */
export function podSpec(manifests: readonly Manifest[]): PodSpec {
  const { spec } = find(manifests, "Deployment") as unknown as { spec: { template: { spec: PodSpec } } };
  return spec.template.spec;
}

/** The gateway's configuration file, and the settings of the overlay in environment variables. */
export function configuration(manifests: readonly Manifest[]): { file: string; settings: Record<string, string> } {
  const file = find(manifests, "ConfigMap", "colonnade-config").data?.["site.toml"] ?? "";
  return { file, settings: { ...find(manifests, "ConfigMap", "colonnade-settings").data } };
}
