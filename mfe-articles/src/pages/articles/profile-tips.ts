import * as text from "../../../content/profile-tips.md";
import { articlePage } from "../article";

/** The article `content/profile-tips.md`. */
export const page = articlePage("profile-tips", text);
