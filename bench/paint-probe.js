/* global document */
// Runs in a page before anything else and notes when it was painted and when React had taken its heading over.
globalThis.marks = { fcp: NaN, lcp: NaN, ready: NaN, longest: 0 };
// What is fetched when the browser is idle, the join dialog, is no part of the first view.
globalThis.requestIdleCallback = () => 0;

function observe(type, note) {
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(note));
  observer.observe({ type, buffered: true });
}

observe("paint", ({ name, startTime }) => {
  if (name === "first-contentful-paint") globalThis.marks.fcp = startTime;
});
observe("largest-contentful-paint", ({ startTime }) => (globalThis.marks.lcp = startTime));
observe("longtask", ({ duration }) => (globalThis.marks.longest = Math.max(globalThis.marks.longest, duration)));

function isTakenOver() {
  const heading = document.querySelector("main h1");
  return heading !== null && Object.keys(heading).some((key) => key.startsWith("__reactFiber$"));
}

// What React tells its developer tools, in production builds, too: a commit is done, layout effects and all.
globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
  supportsFiber: true,
  inject: () => 1,
  onCommitFiberRoot() {
    if (Number.isNaN(globalThis.marks.ready) && isTakenOver()) globalThis.marks.ready = performance.now();
  },
  onPostCommitFiberRoot: () => undefined,
  onCommitFiberUnmount: () => undefined,
};
