import * as text from "../../../content/red-flags.md";
import { SIGN_COMPONENTS } from "../../figures/SampleAd";
import { articlePage } from "../article";

/** The article `content/red-flags.md`. */
export const page = articlePage("red-flags", text, SIGN_COMPONENTS);
