/** What this browser keeps under a name; `null` where there is nothing, or storage is forbidden. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text for the next visit; without storage it holds for this page alone. */
export function store(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The page goes on without it.
  }
}

/**
 * Keeps something over a reload of this tab, which goes on where it was.
 * @param now what there is to keep when the page is left; `null` for nothing.
 * @returns what the page before has kept, as it was written; `null` where there is nothing that can be read.
 */
export function keptInTab<Kept extends object>(key: string, now: () => Kept | null): Partial<Kept> | null {
  addEventListener('pagehide', () => {
    const kept = now();
    if (kept === null) return;
    try {
      sessionStorage.setItem(key, JSON.stringify(kept));
    } catch {
      // Without storage it is forgotten.
    }
  });
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Partial<Kept> | null;
  } catch {
    return null;
  }
}
