import type { ReactElement } from "react";

/** A version. On narrow screens a line ends before the last part, which is often a digest. */
export function Version({ children: version }: { readonly children: string }): ReactElement {
  const last = version.lastIndexOf(".") + 1;
  return (
    <code>
      {version.slice(0, last)}
      <wbr />
      {version.slice(last)}
    </code>
  );
}
