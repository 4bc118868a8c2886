import { useCallback, useEffect, useRef } from 'react';

/** One function for always that calls the one of the latest drawing: what is handed it need not be drawn anew. */
export function useLatest<Arguments extends unknown[]>(
  callback: (...args: Arguments) => void,
): (...args: Arguments) => void {
  const latest = useRef(callback);
  useEffect(() => {
    latest.current = callback;
  });
  return useCallback((...args: Arguments) => latest.current(...args), []);
}
