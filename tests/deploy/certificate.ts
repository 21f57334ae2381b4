import { mkdir } from "node:fs/promises";
import path from "node:path";

import { run } from "./tools";

/** Writes a self-signed certificate for a host as the files of a Secret: `tls.crt` and `tls.key`. */
export async function writeCertificate(folder: string, host: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const name = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host},IP:127.0.0.1`];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files = ["-keyout", path.join(folder, "tls.key"), "-out", path.join(folder, "tls.crt")];
  await run("openssl", ["req", "-x509", "-days", "2", ...key, ...name, ...files]);
}
