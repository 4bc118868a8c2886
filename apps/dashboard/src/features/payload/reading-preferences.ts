import { useSyncExternalStore } from 'react';
import { readStored, store } from '../../components/storage.js';
import { FORMATS, type Format } from './payload-types.js';

/** How one reader of this browser wants texts shown. */
export interface ReadingPreferences {
  format: Format;
  wraps: boolean;
}

const STORAGE_KEY = 'spandrel.reading';
const DEFAULTS: ReadingPreferences = { format: 'text', wraps: true };

const listeners = new Set<() => void>();
let current = read();

export function useReadingPreferences(): ReadingPreferences {
  return useSyncExternalStore(subscribe, () => current);
}

/** Changes them, now and for the next visit. */
export function setReadingPreferences(changes: Partial<ReadingPreferences>): void {
  current = { ...current, ...changes };
  store(STORAGE_KEY, JSON.stringify(current));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
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
