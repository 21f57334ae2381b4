/** Heading above the form, on the page and in the dialog. */
export const SIGNUP_HEADING = "Create your account";
