import type { SiteFacts } from "@colonnade/kit";

/** Heading above the form, on the page and in the dialog; where nobody would receive a sign-up, it says so. */
export function signupHeading({ signup }: SiteFacts): string {
  return signup.host === null ? "Sign-up is not available" : "Create your account";
}
