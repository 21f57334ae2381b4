import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { renderToStaticMarkup } from "react-dom/server";

import { Gallery } from "./Gallery.js";
import { fixedFont, fontFile, galleryStyles } from "./styles.js";

/** A running gallery server. */
interface GalleryServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

// `?fixed` selects a bundled font, for reproducible screenshots.
function documentOf(fixed: boolean): string {
  // Dialogs open by script, which does not run here.
  const html = renderToStaticMarkup(<Gallery />).replaceAll("<dialog ", "<dialog open ");
  const styles = ["/gallery.css", ...(fixed ? ["/fixed.css"] : [])];
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Gallery</title>',
    ...styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    `</head><body>${html}</body></html>`,
  ].join("");
}

type ResponseContent = readonly [type: string, body: string | Buffer];

function contentFor({ pathname, searchParams }: URL): ResponseContent | null {
  if (pathname === "/") return ["text/html; charset=utf-8", documentOf(searchParams.has("fixed"))];
  if (pathname === "/gallery.css") return ["text/css; charset=utf-8", galleryStyles()];
  if (pathname === "/fixed.css") return ["text/css; charset=utf-8", fixedFont()];
  const font = fontFile(pathname);
  return font && ["font/woff2", font];
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
}

/** Serves the gallery on 127.0.0.1. Port 0 selects a free port. Stylesheets are read on each request. */
export async function startGallery(port: number): Promise<GalleryServer> {
  const server = createServer((request, response) => {
    const content = contentFor(new URL(request.url ?? "/", "http://localhost"));
    response.writeHead(content ? 200 : 404, {
      "content-type": content?.[0] ?? "text/plain",
      "cache-control": "no-store",
    });
    response.end(content?.[1]);
  });
  await listen(server, port);
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
