import type { LoadedExtension } from "@colonnade/kit/server";
import { Suspense, type ReactElement } from "react";

import { SectionRoot } from "../SectionRoot.js";

type Loaded = Extract<LoadedExtension, { readonly kind: "extension" }>;

/** Props of {@link ExtensionContent}. */
export interface ExtensionContentProps {
  /** Name of the section. */
  readonly section: string;
  readonly Component: Loaded["Component"];
  readonly props: NonNullable<Loaded["props"]>;
}

/** An extension, in the same form on the server and in the browser. */
export function ExtensionContent({ section, Component, props }: ExtensionContentProps): ReactElement {
  return (
    <Suspense>
      <SectionRoot name={section}>
        <Component {...props} />
      </SectionRoot>
    </Suspense>
  );
}

/**
 * The place of a point in an extension: two sections that fill each other's points would show each other without end.
 *
 * @throws Error
 */
export function NoPlace(): never {
  throw new Error("an extension shows no extension points");
}
