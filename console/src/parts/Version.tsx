import type { ReactElement } from "react";

/** More characters need several lines on narrow screens. */
const ONE_LINE = 16;

/** A version. A long one breaks before its last part, which is often a digest. */
export function Version({ children: version }: { readonly children: string }): ReactElement {
  if (version.length <= ONE_LINE) return <code className="nowrap">{version}</code>;
  const last = version.lastIndexOf(".") + 1;
  return (
    <code>
      {version.slice(0, last)}
      <wbr />
      {version.slice(last)}
    </code>
  );
}
