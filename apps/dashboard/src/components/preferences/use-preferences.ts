import { useSyncExternalStore } from 'react';
import { readStored, store } from '../storage.js';
import { readPreferences, type Preferences } from './preferences.js';

const STORAGE_KEY = 'spandrel.preferences';
const listeners = new Set<() => void>();
let current = readPreferences(readStored(STORAGE_KEY));

// Another tab may change them.
addEventListener('storage', (event) => {
  if (event.key === STORAGE_KEY || event.key === null) replace(readPreferences(readStored(STORAGE_KEY)));
});

/** The reader's preferences, kept in this browser. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferences);
}

/** The preferences of this moment, for what is no component. */
export function preferences(): Preferences {
  return current;
}

/** Changes some preferences, now and for the next visit. */
export function setPreferences(changes: Partial<Preferences>): void {
  replace({ ...current, ...changes });
  store(STORAGE_KEY, JSON.stringify(current));
}

function replace(next: Preferences): void {
  current = next;
  const { dataset } = document.documentElement;
  dataset['theme'] = next.theme;
  dataset['density'] = next.density;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
