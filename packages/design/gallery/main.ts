// Entry point of `make gallery`.
import { startGallery } from "./server.js";

const { url } = await startGallery(Number(process.env.PORT ?? 8088));
console.log(`Gallery: ${url}`);
