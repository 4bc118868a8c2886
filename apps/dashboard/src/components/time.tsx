import { useEffect, useState } from 'react';
import { changesAfter, formatMoment, formatTimeExactly } from './format.js';
import { usePreferences } from './preferences/use-preferences.js';

/** Clocks of many rows do not tick one by one. */
const STEP_MS = 1_000;

/** A moment: relative under a day, absolute beyond; the exact one on hover. @param at timestamp of the API. */
export function Time({ at }: { at: string }) {
  const { times } = usePreferences();
  const ms = Date.parse(at);
  const now = useNow(ms);
  return (
    <time dateTime={at} title={formatTimeExactly(ms, times)}>
      {formatMoment(ms, now, times)}
    </time>
  );
}

function useNow(at: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const after = changesAfter(at, now);
    if (after === null) return undefined;
    const timer = setTimeout(() => setNow(Date.now()), Math.max(STEP_MS, after));
    return () => clearTimeout(timer);
  }, [at, now]);
  return now;
}
