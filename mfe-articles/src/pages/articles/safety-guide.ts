import * as text from "../../../content/safety-guide.md";
import { articlePage } from "../article";

/** The article `content/safety-guide.md`. */
export const page = articlePage("safety-guide", text);
