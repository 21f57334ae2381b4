/** A document of the live deployment takes this tab over; nothing is shown in between. */
export function leaveFor(path: string): Promise<never> {
  if (path === location.pathname) location.reload();
  else location.assign(path);
  return new Promise<never>(() => undefined);
}

/** Whether a path's document can be had. Without an answer, the one that is shown is all there is. */
export function isThere(path: string): Promise<boolean> {
  return fetch(path, { method: "HEAD", cache: "no-store" }).then(
    (response) => response.ok,
    () => false,
  );
}
