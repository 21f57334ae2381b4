import { addErrorHandler } from "./reactServer.js";

/** Webpack loader for React's legacy server renderer. */
export default addErrorHandler;
