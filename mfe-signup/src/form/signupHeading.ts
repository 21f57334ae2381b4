import type { SiteFacts } from "@colonnade/kit";

/** Heading of the form. It depends on whether a sign-up service is configured. */
export function signupHeading({ signup }: SiteFacts): string {
  return signup.host === null ? "Sign-up isn’t available" : "Create your account";
}
