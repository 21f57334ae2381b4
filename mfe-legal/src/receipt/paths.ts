/** Path of the page, for links and for the dialog. */
export const RECEIPT_PATH = "/privacy/receipt";

/** Heading of the page and of the dialog. */
export const RECEIPT_HEADING = "What this site knows about you right now";
