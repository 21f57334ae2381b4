// The first module of the shell's development variant. React DOM reports to this runtime, and sections call it.
import runtime from "react-refresh/runtime";

runtime.injectIntoGlobalHook(globalThis as unknown as Window);
Object.assign(globalThis, { colonnadeRefresh: runtime });
