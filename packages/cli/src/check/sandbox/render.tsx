import { Suspense, type ReactElement } from "react";

import { ParamsContext, SectionContext, ShellContext } from "@colonnade/kit/shell";
import type { AnyPage, Params, SectionConfiguration, Site } from "@colonnade/kit";
import { renderToHtml, StaticRouter } from "@colonnade/kit/server";

/** What the shell provides to a section. */
export interface SectionServices {
  /** The section's name. */
  readonly name: string;
  readonly site: Site;
  readonly config: SectionConfiguration;
}

/** What a page renders from. */
interface PageToRender {
  readonly Component: AnyPage["Component"];
  readonly data: unknown;
  readonly path: string;
  readonly params: Params;
  readonly services: SectionServices;
}

const SUSPENDED_PAGE = "<main><!--$!-->";

/**
 * Renders a page's component as the shell does, without header and footer.
 *
 * @throws Error if the page as a whole suspends, and what the component throws.
 */
export async function renderPage({ Component, data, path, params, services }: PageToRender): Promise<string> {
  const { name, site, config } = services;
  const tree: ReactElement = (
    <StaticRouter location={path}>
      <ShellContext value={{ site, configs: { [name]: config }, openDialog: () => undefined }}>
        <SectionContext value={name}>
          <ParamsContext value={params}>
            <main>
              <Suspense>
                <Component data={data as never} />
              </Suspense>
            </main>
          </ParamsContext>
        </SectionContext>
      </ShellContext>
    </StaticRouter>
  );
  const { html, isSuspended } = await renderToHtml(tree);
  if (isSuspended && html.startsWith(SUSPENDED_PAGE))
    throw new Error("the page suspended outside of its own Suspense boundaries; wrap what suspends in <Suspense>");
  return html;
}
