import * as text from "../../../content/red-flags.md";
import { articlePage } from "../article";
// After the article, whose styles those of its sample ads override.
import { SIGN_COMPONENTS } from "../../figures/SampleAd";

/** The article `content/red-flags.md`. */
export const page = articlePage("red-flags", text, SIGN_COMPONENTS);
