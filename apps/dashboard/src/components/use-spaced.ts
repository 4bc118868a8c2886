import { useCallback, useEffect, useRef } from 'react';

/** A function that may be called at any time and acts at once, but not again before some milliseconds are over. */
export function useSpaced(act: () => void, spaceMs: number): () => void {
  const latest = useRef(act);
  const lastAt = useRef(-Infinity);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  return useCallback(() => {
    const wait = Math.max(0, lastAt.current + spaceMs - performance.now());
    timer.current ??= setTimeout(() => {
      timer.current = null;
      lastAt.current = performance.now();
      latest.current();
    }, wait);
  }, [spaceMs]);
}
