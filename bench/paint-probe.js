/* global document */
// Runs before all other scripts of a page. Records paint times and when React hydrated or rendered the heading.
globalThis.marks = { fcp: NaN, lcp: NaN, ready: NaN, longest: 0 };
// The join dialog, which loads when the browser is idle, is not part of the first view.
globalThis.requestIdleCallback = () => 0;

function observe(type, record) {
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(record));
  observer.observe({ type, buffered: true });
}

observe("paint", ({ name, startTime }) => {
  if (name === "first-contentful-paint") globalThis.marks.fcp = startTime;
});
observe("largest-contentful-paint", ({ startTime }) => (globalThis.marks.lcp = startTime));
observe("longtask", ({ duration }) => (globalThis.marks.longest = Math.max(globalThis.marks.longest, duration)));

function isHeadingHydrated() {
  const heading = document.querySelector("main h1");
  return heading !== null && Object.keys(heading).some((key) => key.startsWith("__reactFiber$"));
}

// React calls the DevTools hook in production builds too, after each commit and its layout effects.
globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
  supportsFiber: true,
  inject: () => 1,
  onCommitFiberRoot() {
    if (!Number.isNaN(globalThis.marks.ready) || !isHeadingHydrated()) return;
    globalThis.marks.ready = performance.now();
    performance.mark("ready");
    console.log("ready");
  },
  onPostCommitFiberRoot: () => undefined,
  onCommitFiberUnmount: () => undefined,
};
