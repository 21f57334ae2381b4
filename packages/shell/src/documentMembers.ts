import { revealDocumentMembers } from "./boot.js";

// The gateway's renderer has no document.
const hasDocument = typeof document !== "undefined";
if (hasDocument) revealDocumentMembers(document);

/**
 * The document's head and body, taken once: an element that a page has just rendered, such as `<form name="head">`, hides them
 * as members of `document`.
 */
export const { head, body } = (hasDocument ? document : {}) as Pick<Document, "head" | "body">;
