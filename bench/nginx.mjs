// Runs nginx as a proxy that does the gateway's job: buffered JSON access log, request id, security headers, connection limit.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";

import { childrenOf } from "./processes.mjs";

const BINARY = "nginx";

/** Whether nginx is installed. */
export function hasNginx() {
  return spawnSync(BINARY, ["-v"]).error === undefined;
}

/** @param {string} folder @param {number} port @param {string} upstream */
function configuration(folder, port, upstream) {
  return `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log crit;
events { worker_connections 4096; }
http {
  log_format json escape=json '{"time":"$time_iso8601","id":"$request_id","method":"$request_method","path":"$uri","status":$status,"bytes":$bytes_sent,"seconds":$request_time}';
  access_log ${folder}/access.log json buffer=32k flush=1s;
  limit_conn_zone $binary_remote_addr zone=clients:10m; limit_conn clients 256;
  server_tokens off; tcp_nodelay on; keepalive_requests 1000000000;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  upstream backend { server ${upstream}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $host; proxy_set_header X-Request-Id $request_id;
      add_header X-Request-Id $request_id always; add_header X-Content-Type-Options nosniff always;
      add_header Referrer-Policy same-origin always; add_header Cross-Origin-Resource-Policy same-origin always;
      add_header Content-Security-Policy "default-src 'none'" always;
    }
  }
}
`;
}

/** Returns a port that is free now. @returns {Promise<number>} */
async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  server.close();
  return port;
}

/** Resolves once a port accepts connections. @param {number} port */
async function listening(port) {
  for (;;) {
    const socket = net.connect(port, "127.0.0.1");
    const isOpen = await new Promise((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
  }
}

/**
 * Starts nginx in front of an upstream.
 *
 * @param {string} upstream host and port
 * @returns {Promise<{ url: string, pid: number, stop: () => Promise<void> }>} `pid` is the worker's
 */
export async function startNginx(upstream) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-nginx-"));
  const port = await freePort();
  const file = path.join(folder, "nginx.conf");
  await writeFile(file, configuration(folder, port, upstream));
  const child = spawn(BINARY, ["-p", folder, "-e", path.join(folder, "error.log"), "-c", file], { stdio: "inherit" });
  await listening(port);
  const [pid = NaN] = await childrenOf(/** @type {number} */ (child.pid));
  return {
    url: `http://127.0.0.1:${port}`,
    pid,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
      await rm(folder, { recursive: true });
    },
  };
}
