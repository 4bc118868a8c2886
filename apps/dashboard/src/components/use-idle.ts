import { useEffect, useState } from 'react';

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
