import { useEffect, useState } from 'react';

/** What is there sooner shows no sign of waiting. */
const PATIENCE_MS = 150;

/** Whether something has been waited for long enough to show that. */
export function useDelayed(isWaiting: boolean): boolean {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    if (!isWaiting) {
      setIsLong(false);
      return undefined;
    }
    const timer = setTimeout(() => setIsLong(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return isWaiting && isLong;
}
