// Starts the receiver.
import { createReceiver, parseSecret } from "./receiver.js";

const { WEBHOOK_SECRET = "", CHAT_URL, CONSOLE_URL, HOST = "127.0.0.1", PORT = "9300" } = process.env;
const key = parseSecret(WEBHOOK_SECRET);
if (!key || !CHAT_URL) {
  console.error(
    "set WEBHOOK_SECRET to that of the webhook, with 24 bytes or more, and CHAT_URL to the incoming webhook of the chat",
  );
  process.exit(1);
}
if (CONSOLE_URL && !URL.canParse(CONSOLE_URL)) {
  console.error("expected the URL of the admin listener in CONSOLE_URL, such as https://admin.example");
  process.exit(1);
}
createReceiver({ key, chatUrl: CHAT_URL, consoleUrl: CONSOLE_URL }).listen(Number(PORT), HOST);
