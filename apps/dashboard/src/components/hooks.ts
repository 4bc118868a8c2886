import { useEffect, useState, useCallback, useLayoutEffect, useRef, useMemo } from 'react';
import { usePreferences } from './preferences/use-preferences.js';

/** What is there sooner shows no sign of waiting. */
const PATIENCE_MS = 150;

/** Whether something has been waited for long enough to show that. */
export const useDelayed = (isWaiting: boolean): boolean => useHeldFor(isWaiting, PATIENCE_MS);

/** Whether something has been so for some milliseconds. */
function useHeldFor(isSo: boolean, ms: number): boolean {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    if (!isSo) {
      setIsLong(false);
      return undefined;
    }
    const timer = setTimeout(() => setIsLong(true), ms);
    return () => clearTimeout(timer);
  }, [isSo, ms]);
  return isSo && isLong;
}

/** Turns true once the page has nothing else to do: what comes with large code is fetched then. */
export function useIdle(): boolean {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => {
    // Safari has no such callback.
    if (typeof requestIdleCallback !== 'function') {
      const timer = setTimeout(() => setIsIdle(true), 500);
      return () => clearTimeout(timer);
    }
    const handle = requestIdleCallback(() => setIsIdle(true), { timeout: 2_000 });
    return () => cancelIdleCallback(handle);
  }, []);
  return isIdle;
}

/** What shows nothing of a page yet is asked for so many milliseconds after all that does. */
const LATER_MS = 1_500;

/** Turns true once the page has had the time to show: choices that a field offers are asked for then. */
export const useLater = (): boolean => useHeldFor(true, LATER_MS);

/** One function for always that calls the one of the latest drawing: what is handed it need not be drawn again. */
export function useLatest<Arguments extends unknown[]>(
  callback: (...args: Arguments) => void,
): (...args: Arguments) => void {
  const latest = useRef(callback);
  useLayoutEffect(() => {
    latest.current = callback;
  });
  return useCallback((...args: Arguments) => latest.current(...args), []);
}

/** Pixels of one row of a list: the token `--row`, which goes with the density. */
export function useRowHeight(): number {
  const { density } = usePreferences();
  return useMemo(() => rowHeightAt(density), [density]);
}

function rowHeightAt(_density: string): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row'));
}

/** A value as it was when it last stayed the same for some milliseconds. */
export function useSettled<Value>(value: Value, afterMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}

/** A function that may be called at any time and acts at once, but not again before some milliseconds are over. */
export function useSpaced(act: () => unknown, spaceMs: number): () => void {
  const run = useLatest(act);
  const lastAt = useRef(-Infinity);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
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
      run();
    }, wait);
  }, [run, spaceMs]);
}
