import { readStored, store } from '../storage.js';
import { Store, useStore } from '../store.js';
import { readPreferences, type Preferences } from './preferences.js';

const STORAGE_KEY = 'spandrel.preferences';

/** The reader's preferences, kept in this browser. */
export const preferences = new Store(readPreferences(readStored(STORAGE_KEY)));

// Another tab may change them.
addEventListener('storage', (event) => {
  if (event.key === STORAGE_KEY || event.key === null) replace(readPreferences(readStored(STORAGE_KEY)));
});

export const usePreferences = (): Preferences => useStore(preferences);

/** Changes some preferences, now and for the next visit. */
export function setPreferences(changes: Partial<Preferences>): void {
  replace({ ...preferences.get(), ...changes });
  store(STORAGE_KEY, JSON.stringify(preferences.get()));
}

function replace(next: Preferences): void {
  const { dataset } = document.documentElement;
  dataset['theme'] = next.theme;
  dataset['density'] = next.density;
  preferences.set(next);
}
