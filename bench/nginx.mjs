// Runs nginx: alone, or with the gateway's job, which is a buffered JSON access log, request id, headers, connection limit.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { childrenOf } from "./processes.mjs";
import { freePort, startServer } from "./servers.mjs";

const BINARY = "nginx";

const FULL = `
  log_format json escape=json '{"time":"$time_iso8601","id":"$request_id","method":"$request_method","path":"$uri","status":$status,"bytes":$bytes_sent,"seconds":$request_time}';
  access_log access.log json buffer=32k flush=1s;
  limit_conn_zone $binary_remote_addr zone=clients:10m; limit_conn clients 8192;`;

/** Headers of the gateway's responses that an upstream does not set. */
export const FORWARDED = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/**
 * What nginx serves.
 *
 * @typedef {object} Job
 * @property {string} upstream host and port of the server that answers requests below `/api/`
 * @property {boolean} isFull whether it logs, counts connections and adds a request id
 * @property {Record<string, Record<string, string>>} headers headers of responses, by path
 * @property {string} files a folder of files with their Brotli versions beside them
 * @property {{ certificate: string, key: string }} tls for a second listener, with HTTP/2
 */

/** Where nginx's module for precompressed files is. */
export function brotliModule() {
  const { stderr } = spawnSync(BINARY, ["-V"], { encoding: "utf8" });
  return path.join(/--modules-path=(\S+)/.exec(stderr)?.[1] ?? "", "ngx_http_brotli_static_module.so");
}

/** @param {Record<string, string>} headers @param {boolean} isFull */
function addHeaders(headers, isFull) {
  const lines = Object.entries(headers).map(([name, value]) => `add_header ${name} ${JSON.stringify(value)} always;`);
  return [...lines, ...(isFull ? ["add_header X-Request-Id $request_id always;"] : [])].join("\n      ");
}

/** @param {string} folder @param {[number, number]} ports @param {Job} job */
function configuration(folder, [port, tlsPort], { upstream, isFull, headers, files, tls }) {
  const locations = Object.entries(headers).map(
    ([name, values]) => `
    location = ${name} {
      ${addHeaders(values, isFull)}
    }`,
  );
  return `load_module ${brotliModule()};
daemon off; worker_processes 1; worker_rlimit_nofile 16384; pid ${folder}/pid;
events { worker_connections 8192; multi_accept on; }
http {
  access_log off; ${isFull ? FULL : ""}
  server_tokens off; sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_requests 1000000000;
  open_file_cache max=100 inactive=1h; open_file_cache_valid 1h;
  types { text/javascript js; } default_type "text/html; charset=utf-8";
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  upstream backend { server ${upstream}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    listen 127.0.0.1:${tlsPort} ssl http2; ssl_certificate ${tls.certificate}; ssl_certificate_key ${tls.key};
    root ${files}; brotli_static on;${locations.join("")}
    location /api/ {
      proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto $scheme;
      ${isFull ? "proxy_set_header X-Forwarded-Host $host; proxy_set_header X-Request-Id $request_id;" : ""}
      ${isFull ? addHeaders(FORWARDED, isFull) : ""}
    }
  }
}
`;
}

/**
 * Starts nginx.
 *
 * @param {Job} job
 * @returns {Promise<{ url: string, tls: string, pid: number, stop: () => Promise<void> }>} `pid` is the worker's
 */
export async function startNginx(job) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-nginx-"));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const file = path.join(folder, "nginx.conf");
  await writeFile(file, configuration(folder, [port, tlsPort], job));
  const { pid, stop } = await startServer(
    [BINARY, "-p", folder, "-e", path.join(folder, "error.log"), "-c", file],
    [port, tlsPort],
  );
  const [worker = NaN] = await childrenOf(pid);
  return {
    url: `http://127.0.0.1:${port}`,
    tls: `https://127.0.0.1:${tlsPort}`,
    pid: worker,
    async stop() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}
