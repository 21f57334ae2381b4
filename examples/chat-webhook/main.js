// Starts the receiver.
import { createReceiver, parseSecret } from "./receiver.js";

const { WEBHOOK_SECRET = "", CHAT_URL, HOST = "127.0.0.1", PORT = "9300" } = process.env;
const key = parseSecret(WEBHOOK_SECRET);
if (!key || !CHAT_URL) {
  console.error(
    "set WEBHOOK_SECRET to that of the webhook, with 24 bytes or more, and CHAT_URL to the incoming webhook of the chat",
  );
  process.exit(1);
}
createReceiver({ key, chatUrl: CHAT_URL }).listen(Number(PORT), HOST);
