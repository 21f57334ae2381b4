// A chunk of its own, and the parser by its name: a shell can share it.
export { parse } from "@colonnade/kit/html/parser";
