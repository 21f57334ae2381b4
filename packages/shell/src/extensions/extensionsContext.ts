import type { ResolvedExtensions } from "@colonnade/kit/shell";
import { createContext } from "react";

/** The extensions of the points around a component: those of the shell or, in a page, those of the page. */
export const ExtensionsContext = createContext<ResolvedExtensions | undefined>(undefined);
