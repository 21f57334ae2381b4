import { useHydrated, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

/** The host of a URL, without `www.`. */
function hostOf(url: string): string {
  return url.replace(/^https?:\/\/(?:www\.)?/, "").replace(/\/.*$/, "");
}

/** Props of {@link ExitPage}. */
export interface ExitPageProps {
  /** Class of the element around the link and its text. */
  readonly className?: string | undefined;
  /** Text of the link. Default: `Leave this site`. */
  readonly label?: string;
  /** Called before the other site opens. */
  readonly onLeave?: (() => void) | undefined;
}

/**
 * A way to leave the site at once, after [Exit this page](https://design-system.service.gov.uk/components/exit-this-page/)
 * of GOV.UK. It hides the page, and opens the site of the fact `exit` in place of it. Without JavaScript it is a link.
 * Renders nothing if the fact is no https URL.
 */
export function ExitPage({ className, label = "Leave this site", onLeave }: ExitPageProps): ReactElement | null {
  const { exit } = useSite().facts;
  const hydrated = useHydrated();
  if (!exit.startsWith("https://")) return null;
  return (
    <aside className={className} aria-label="Leave this site">
      <a
        href={exit}
        className="button quiet"
        rel="nofollow noreferrer"
        onClick={(event) => {
          event.preventDefault();
          onLeave?.();
          // The other site may take a while.
          document.body.hidden = true;
          window.location.replace(exit);
        }}
      >
        {label}
      </a>
      <small>
        {hydrated
          ? `“${label}” opens ${hostOf(exit)} in place of this page. Your browser’s history still lists the pages you opened.`
          : `“${label}” opens ${hostOf(exit)}. Without JavaScript, Back returns to this page. Your browser’s history lists it, too.`}
      </small>
    </aside>
  );
}
