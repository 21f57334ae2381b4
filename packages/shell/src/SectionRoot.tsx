import { ConfigContext, scopeClass, SectionContext, type SectionConfiguration } from "@colonnade/kit/shell";
import type { ReactElement, ReactNode } from "react";

interface SectionRootProps {
  readonly name: string;
  readonly config: SectionConfiguration | undefined;
  readonly children: ReactNode;
}

const NO_CONFIG: SectionConfiguration = {};

/** The element around a section's content, to which the section's plain stylesheets are limited. */
export function SectionRoot({ name, config = NO_CONFIG, children }: SectionRootProps): ReactElement {
  return (
    <SectionContext value={name}>
      <ConfigContext value={config}>
        <div className={scopeClass(name)}>{children}</div>
      </ConfigContext>
    </SectionContext>
  );
}
