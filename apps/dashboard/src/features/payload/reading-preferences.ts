import { readChoices } from '../../components/preferences/preferences.js';
import { readStored, store } from '../../components/storage.js';
import { Store, useStore } from '../../components/store.js';
import type { Format } from './payload-types.js';

export interface ReadingPreferences {
  format: Format;
  wraps: boolean;
}

const STORAGE_KEY = 'spandrel.reading';
/** The usual one first. */
const CHOICES = { format: ['text', 'rendered', 'json'], wraps: [true, false] } as const;

const preferences = new Store<ReadingPreferences>(readChoices(CHOICES, readStored(STORAGE_KEY)));

export const useReadingPreferences = (): ReadingPreferences => useStore(preferences);

/** Changes them, now and for the next visit. */
export function setReadingPreferences(changes: Partial<ReadingPreferences>): void {
  preferences.set({ ...preferences.get(), ...changes });
  store(STORAGE_KEY, JSON.stringify(preferences.get()));
}
