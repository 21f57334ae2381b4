/** The image of the gateway, built and run as Kubernetes does it, without a container runtime's daemon. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { GATEWAY_BINARY, ROOT } from "../support/repository.mjs";
import type { PodSpec } from "./manifests";
import { run } from "./tools";

const DOCKERFILE = path.join(ROOT, "deploy/container/Dockerfile");
const BASE = "localhost/colonnade-base";
const IMAGE = "localhost/colonnade";

/** The part of an image's configuration that tests read, by the OCI image specification. */
export interface ImageConfig {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly ExposedPorts: object;
}

/** An image that is unpacked in a folder. */
export interface Image {
  readonly root: string;
  readonly config: ImageConfig;
}

/** Whether containers can be built and run here. */
export function canRunContainers(): boolean {
  const isThere = (program: string) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
  return process.getuid?.() === 0 && ["buildah", "runc", "strip"].every(isThere);
}

/**
 * Builds the image in `folder`. Base images cannot be pulled everywhere: in place of the distroless one there is one with the same
 * user and the shared libraries of the built gateway, and that gateway is in place of the stage that compiles it.
 */
export async function buildImage(folder: string): Promise<Image> {
  const base = path.join(folder, "base");
  const { stdout } = await run("ldd", [GATEWAY_BINARY]);
  for (const [library] of stdout.matchAll(/\/lib\S+/g)) {
    await mkdir(path.join(base, path.dirname(library)), { recursive: true });
    await copyFile(library, path.join(base, library));
  }
  await mkdir(path.join(base, "etc"), { recursive: true });
  await writeFile(path.join(base, "etc/passwd"), "nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n");
  await writeFile(path.join(folder, "Base"), "FROM scratch\nCOPY . /\n");
  const stage = path.join(folder, "stage");
  await mkdir(path.join(stage, "out"), { recursive: true });
  await run("strip", ["-o", path.join(stage, "out/gateway"), GATEWAY_BINARY]);

  const state = ["--root", path.join(folder, "storage"), "--runroot", path.join(folder, "state")];
  const buildah = async (...args: string[]) =>
    (await run("buildah", [...state, "--storage-driver", "vfs", ...args])).stdout;
  const build = ["build", "--isolation", "chroot", "--pull-never", "--quiet"];
  await buildah(...build, "--tag", BASE, "--file", path.join(folder, "Base"), base);
  const replaced = ["--build-context", `gateway=${stage}`, "--build-arg", `RUNTIME_IMAGE=${BASE}`];
  await buildah(...build, ...replaced, "--tag", IMAGE, "--file", DOCKERFILE, ROOT);
  const { OCIv1 } = JSON.parse(await buildah("inspect", "--type", "image", IMAGE)) as {
    OCIv1: { config: ImageConfig };
  };
  const root = await buildah("mount", (await buildah("from", "--pull-never", IMAGE)).trim());
  return { root: root.trim(), config: OCIv1.config };
}

/** A file or folder of the machine in a container, read-only. */
export interface Mount {
  readonly from: string;
  readonly to: string;
}

/** What a container runs, and its volumes. */
interface ContainerOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  /** Empty volumes. */
  readonly volumes: readonly string[];
  readonly seccomp: object;
}

/**
 * Starts a container by the settings of a pod: its user, a read-only root, no capabilities, a seccomp profile. Its network is that
 * of the machine.
 */
export async function startContainer(
  folder: string,
  { root }: Image,
  pod: PodSpec,
  { args, env, mounts, volumes, seccomp }: ContainerOptions,
): Promise<{ process: ChildProcess; stop: () => Promise<number | null> }> {
  const { runAsUser: uid, runAsGroup: gid } = pod.securityContext;
  const none: string[] = [];
  const config = {
    ociVersion: "1.0.2",
    process: {
      args,
      cwd: "/",
      env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      user: { uid, gid },
      capabilities: { bounding: none, effective: none, inheritable: none, permitted: none, ambient: none },
      noNewPrivileges: true,
    },
    root: { path: root, readonly: true },
    mounts: [
      { destination: "/proc", type: "proc", source: "proc" },
      { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "noexec", "mode=755", "size=64k"] },
      ...volumes.map((destination) => ({
        ...{ destination, type: "tmpfs", source: "tmpfs" },
        options: ["nosuid", "nodev", "noexec", "mode=0770", `uid=${String(uid)}`, `gid=${String(gid)}`],
      })),
      ...mounts.map(({ from, to }) => ({ destination: to, type: "bind", source: from, options: ["rbind", "ro"] })),
    ],
    linux: { namespaces: ["pid", "ipc", "uts", "mount"].map((type) => ({ type })), seccomp },
  };
  const id = `colonnade-test-${path.basename(folder)}`;
  const bundle = path.join(folder, "bundle");
  await rm(bundle, { recursive: true, force: true });
  await mkdir(bundle);
  await writeFile(path.join(bundle, "config.json"), JSON.stringify(config));
  const runtime = ["--root", path.join(folder, "runc")];
  const container = spawn("runc", [...runtime, "run", "--bundle", bundle, id], { stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(container, "exit").then(([code]) => code as number | null);
  return {
    process: container,
    async stop() {
      if (container.exitCode === null) await run("runc", [...runtime, "kill", id, "TERM"]).catch(() => undefined);
      return exited;
    },
  };
}

/** The profile of the component `seccomp`. The container runtimes read the same format. */
export async function seccompProfile(): Promise<object> {
  const file = path.join(ROOT, "deploy/kubernetes/components/seccomp/colonnade.json");
  return JSON.parse(await readFile(file, "utf8")) as object;
}

/** Makes a file readable by the group of the pod only, as a volume of a Secret with `fsGroup`. */
export async function restrictToGroup(file: string, gid: number): Promise<void> {
  await run("chgrp", [String(gid), file]);
  await chmod(file, 0o440);
}
