import * as core from "@module-federation/runtime-core";

// Containers that are built with `externalRuntime` read the runtime from this global when they start.
Object.assign(globalThis, { _FEDERATION_RUNTIME_CORE: core });
