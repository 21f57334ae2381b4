import type { Page } from "@playwright/test";

/** Records the paths of the browser's documents, and of its requests below /api/, without queries. */
export function recordPaths(page: Page): string[] {
  const paths: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/") || request.resourceType() === "document") paths.push(pathname);
  });
  return paths;
}
