import { Suspense, type ComponentType, type ReactElement, type ReactNode } from "react";

import {
  identifierPrefix,
  PageContext,
  scopeClass,
  SectionContext,
  ShellContext,
  type AnyExtension,
  type ExtensionPlaceProps,
} from "@colonnade/kit/shell";
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
  /** Values of the query parameters that the page declares. */
  readonly search?: object | undefined;
  readonly services: SectionServices;
  /** Renders the places of extension points. */
  readonly Place: ComponentType<ExtensionPlaceProps>;
}

// As in the shell. Preloads of images come first.
const SUSPENDED_PAGE = /^(<link [^>]*>)*<main><!--\$!-->/;

/**
 * Renders a page's component as the shell does, without header and footer.
 *
 * @throws Error if the page as a whole suspends, and what the component throws.
 */
export async function renderPage(page: PageToRender): Promise<string> {
  const { Component, data, path, params, search, services, Place } = page;
  const { html, isSuspended } = await renderToHtml(
    <InShell path={path} services={services} Place={Place}>
      <PageContext value={{ params, search }}>
        <main>
          <Suspense>
            <Component data={data as never} />
          </Suspense>
        </main>
      </PageContext>
    </InShell>,
  );
  if (isSuspended && SUSPENDED_PAGE.test(html)) throw suspended("page");
  return html;
}

/** What an extension renders from. */
interface ExtensionToRender extends Pick<PageToRender, "services" | "Place"> {
  readonly Component: AnyExtension["Component"];
  /** Reference of the extension point. */
  readonly point: string;
  readonly props: unknown;
  readonly data: unknown;
}

const SUSPENDED_EXTENSION = /^(<link [^>]*>)*<!--\$!-->/;

/**
 * Renders an extension's component as the shell does.
 *
 * @throws Error if the extension as a whole suspends, and what the component throws.
 */
export async function renderExtension(extension: ExtensionToRender): Promise<string> {
  const { Component, point, props, data, services, Place } = extension;
  const { html, isSuspended } = await renderToHtml(
    <InShell path="/" services={services} Place={Place}>
      <Suspense>
        <div className={scopeClass(services.name)}>
          <Component props={props as never} data={data as never} />
        </div>
      </Suspense>
    </InShell>,
    identifierPrefix(point, services.name),
  );
  if (isSuspended && SUSPENDED_EXTENSION.test(html)) throw suspended("extension");
  return html;
}

interface InShellProps extends Pick<PageToRender, "path" | "services" | "Place"> {
  readonly children: ReactNode;
}

function InShell({ path, services: { name, site, config }, Place, children }: InShellProps): ReactElement {
  return (
    <StaticRouter location={path}>
      <ShellContext value={{ site, configs: { [name]: config }, openDialog: () => undefined, ExtensionPlace: Place }}>
        <SectionContext value={name}>{children}</SectionContext>
      </ShellContext>
    </StaticRouter>
  );
}

function suspended(what: string): Error {
  return new Error(`the ${what} suspended outside of its own Suspense boundaries; wrap what suspends in <Suspense>`);
}
