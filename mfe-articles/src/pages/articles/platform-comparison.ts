import * as text from "../../../content/platform-comparison.md";
import { articlePage } from "../article";

/** The article `content/platform-comparison.md`. */
export const page = articlePage("platform-comparison", text);
