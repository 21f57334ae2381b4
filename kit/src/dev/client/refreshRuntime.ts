// The first module of the shell's development variant: sections call the runtime that React DOM reports to.
import runtime from "react-refresh/runtime";

runtime.injectIntoGlobalHook(globalThis as unknown as Window);
Object.assign(globalThis, { colonnadeRefresh: runtime });
