/**
 * How the server marks a Suspense boundary that it leaves to the browser on purpose: the `digest` of the error that React
 * reports for it.
 */
export const SUSPENDED_DIGEST = "suspended";
