import { useEffect, useRef, useState, type RefObject } from "react";

/** Whether an element is in view, at least in part. False until the browser knows. */
export function useInView(): [element: RefObject<HTMLSpanElement | null>, inView: boolean] {
  const element = useRef<HTMLSpanElement>(null);
  const [inView, setInView] = useState(false);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new IntersectionObserver((entries) => {
      setInView(entries.at(-1)?.isIntersecting ?? false);
    });
    observer.observe(element.current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return [element, inView];
}
