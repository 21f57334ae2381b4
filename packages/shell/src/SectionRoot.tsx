import { scopeClass, SectionContext } from "@colonnade/kit/shell";
import type { ReactElement, ReactNode } from "react";

interface SectionRootProps {
  readonly name: string;
  readonly children: ReactNode;
}

/** The element around a section's content, to which the section's plain stylesheets are limited. */
export function SectionRoot({ name, children }: SectionRootProps): ReactElement {
  return (
    <SectionContext value={name}>
      <div className={scopeClass(name)}>{children}</div>
    </SectionContext>
  );
}
