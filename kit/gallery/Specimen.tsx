import type { ReactElement, ReactNode } from "react";

/** Props of {@link Specimen}. */
export interface SpecimenProps {
  readonly name: string;
  /** What a pointer or the keyboard is to do to it, for good; the gallery's stylesheet shows it so. */
  readonly state?: "hover" | "focus" | "active";
  /** As wide as it is on the smallest phones. */
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

/** A component in one of its states, with a caption that says which. */
export function Specimen({ name, state, narrow, children }: SpecimenProps): ReactElement {
  return (
    <figure className={narrow ? "specimen specimen-narrow" : "specimen"}>
      <figcaption>{name}</figcaption>
      <div data-state={state}>{children}</div>
    </figure>
  );
}

/** All specimens of one component. */
export function Specimens({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  const id = name.toLowerCase().replaceAll(" ", "-");
  return (
    <section id={id} className="specimens" aria-labelledby={`${id}-name`}>
      <h2 id={`${id}-name`}>{name}</h2>
      {children}
    </section>
  );
}

/** The states of what is pressed. */
export const STATES = ["hover", "focus", "active"] as const;

/** A word that fits nowhere. */
export const LONG_WORD = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch";
