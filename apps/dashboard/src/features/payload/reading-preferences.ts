import { readStored, store } from '../../components/storage.js';
import { Store, useStore } from '../../components/store.js';
import { FORMATS, type Format } from './payload-types.js';

export interface ReadingPreferences {
  format: Format;
  wraps: boolean;
}

const STORAGE_KEY = 'spandrel.reading';
const DEFAULTS: ReadingPreferences = { format: 'text', wraps: true };

const preferences = new Store(read());

export const useReadingPreferences = (): ReadingPreferences => useStore(preferences);

/** Changes them, now and for the next visit. */
export function setReadingPreferences(changes: Partial<ReadingPreferences>): void {
  preferences.set({ ...preferences.get(), ...changes });
  store(STORAGE_KEY, JSON.stringify(preferences.get()));
}

function read(): ReadingPreferences {
  try {
    const kept = JSON.parse(readStored(STORAGE_KEY) ?? '{}') as Partial<ReadingPreferences>;
    return {
      format: FORMATS.find((format) => format === kept.format) ?? DEFAULTS.format,
      wraps: typeof kept.wraps === 'boolean' ? kept.wraps : DEFAULTS.wraps,
    };
  } catch {
    return DEFAULTS;
  }
}
