import type { SiteFacts } from "@colonnade/kit";

/** Heading of the form. It depends on whether a sign-up service is configured, and on whether it was unreachable. */
export function signupHeading({ signup }: SiteFacts, unreachable = false): string {
  return signup.host === null || unreachable ? "Sign-up isn’t available" : "Create your account";
}
