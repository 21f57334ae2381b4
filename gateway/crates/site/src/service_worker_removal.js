// Replaces the service worker of a former site at this address.
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) await caches.delete(name);
      await registration.unregister();
      for (const client of await clients.matchAll({ type: "window" })) await client.navigate(client.url);
    })(),
  );
});
