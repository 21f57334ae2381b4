import { useEffect } from "react";

/** The start of the title of a page that shows errors: a screen reader says it first. */
export const ERROR = "Error: ";

/** Starts the title of the current page with {@link ERROR} while it shows errors. */
export function useErrorTitle(shown: boolean): void {
  useEffect(() => {
    if (!shown) return undefined;
    const withoutError = (): string => document.title.replace(ERROR, "");
    document.title = ERROR + withoutError();
    return () => {
      document.title = withoutError();
    };
  }, [shown]);
}
