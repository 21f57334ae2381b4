import * as text from "../../../content/platform-evolution.md";
import { articlePage } from "../article";

/** The article `content/platform-evolution.md`. */
export const page = articlePage("platform-evolution", text);
