import type { ReactElement, ReactNode, Ref } from "react";

/** Props of what the shell renders in the place of an extension point. */
export interface ExtensionPlaceProps {
  /** The point's ID with its version, such as `directory/city-aside@1`. */
  readonly reference: string;
  /** What its extensions get. */
  readonly props: object;
  /** Shown if there is no extension. */
  readonly empty?: ReactNode;
}

/** Data attribute of the element into which the gateway writes the extensions of a point. Its value is the reference. */
export const POINT_ATTRIBUTE = "data-extension-point";

/** Data attribute of the element around an extension. Its value is the section's name. */
export const EXTENSION_ATTRIBUTE = "data-extension";

interface TrustedTypes {
  readonly emptyHTML: string;
}

// The policy of documents permits no other text as HTML.
const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
const EMPTY = { __html: trustedTypes?.emptyHTML ?? "" };

/**
 * The elements of an extension point, as the server renders them: one without content, which is not React's, and what is shown
 * in its place as long as it is empty.
 */
export function ExtensionPlaceElement({
  reference,
  empty,
  ref,
}: Omit<ExtensionPlaceProps, "props"> & { readonly ref?: Ref<HTMLDivElement> }): ReactElement {
  return (
    <>
      <div
        {...{ [POINT_ATTRIBUTE]: reference }}
        ref={ref}
        // eslint-disable-next-line no-restricted-syntax -- Without HTML: React leaves what is in the element.
        dangerouslySetInnerHTML={EMPTY}
        suppressHydrationWarning
      />
      {empty !== undefined && empty !== null && <div data-extension-empty="">{empty}</div>}
    </>
  );
}

/** The prefix of the IDs that React makes in an extension, unique in a document. */
export function identifierPrefix(reference: string, section: string): string {
  return `${reference}-${section}-`.replace(/[/@]/g, "_");
}
