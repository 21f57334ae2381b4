// What `make gallery` starts.
import { startGallery } from "./server.js";

const { url } = await startGallery(Number(process.env.PORT ?? 8088));
console.log(`The gallery is on ${url}`);
