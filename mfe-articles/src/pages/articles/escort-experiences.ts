import * as text from "../../../content/escort-experiences.md";
import { articlePage } from "../article";

/** The article `content/escort-experiences.md`. */
export const page = articlePage("escort-experiences", text);
