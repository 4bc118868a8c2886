import { useEffect, useState } from 'react';
import { findSpansByText } from '../../api/spans.js';

/** Typing is waited for; the texts are on the server. */
const PAUSE_MS = 300;
/** A single letter is in nearly every text. */
const LENGTH_MIN = 2;

const NOTHING: ReadonlySet<string> = new Set();

/** Ids of the spans of a trace with a text in their input or output, which grow as they are found. */
export function useFoundTexts(traceId: string, find: string): { found: ReadonlySet<string>; isSearching: boolean } {
  const [state, setState] = useState({ find: '', found: NOTHING, isSearching: false });
  const sought = find.trim();
  useEffect(() => {
    if (sought.length < LENGTH_MIN) {
      setState({ find: '', found: NOTHING, isSearching: false });
      return undefined;
    }
    const controller = new AbortController();
    setState({ find: sought, found: NOTHING, isSearching: true });
    const timer = setTimeout(() => {
      void search(traceId, sought, controller.signal, (found, isSearching) =>
        setState({ find: sought, found, isSearching }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [traceId, sought]);
  return state.find === sought ? state : { found: NOTHING, isSearching: sought.length >= LENGTH_MIN };
}

async function search(
  traceId: string,
  sought: string,
  signal: AbortSignal,
  tell: (found: ReadonlySet<string>, isSearching: boolean) => void,
): Promise<void> {
  const found = new Set<string>();
  try {
    for await (const ids of findSpansByText(traceId, sought, signal)) {
      for (const id of ids) found.add(id);
      tell(new Set(found), true);
    }
  } catch {
    // What the page knows by itself is shown all the same.
  }
  if (!signal.aborted) tell(found, false);
}
