import { SUSPENDED_DIGEST } from "@colonnade/kit/shell";
import type { ErrorInfo } from "react";
import type { RootOptions } from "react-dom/client";

function report(error: unknown, { componentStack }: { readonly componentStack?: string | null | undefined }): void {
  // `colonnade dev` uses the component stack to locate the error.
  if (error instanceof Error) Object.assign(error, { componentStack });
  reportError(error);
}

function onRecoverableError(error: unknown, info: ErrorInfo): void {
  // The section left this part of its page to the browser.
  if ((error as { digest?: string }).digest !== SUSPENDED_DIGEST) report(error, info);
}

/** Options of the React roots of a document. */
export const rootOptions: RootOptions = {
  onRecoverableError,
  ...(process.env.NODE_ENV === "development" && { onCaughtError: report }),
};
