import type { LiveEvent } from '../../live/live-event.js';

/** What an event says of the rows of a list; what it does not name it says nothing of. */
export interface LiveNews {
  /** Rows that changed, by their ids. */
  changed?: readonly string[];
  /** What is gone: rows, or what rows belong to. */
  deleted?: readonly string[];
  /** Whether there may be rows that the list does not have. */
  hasNew?: boolean;
  /** Whether everything is gone. */
  isCleared?: boolean;
  /** Whether anything may have changed, and it does not say what. */
  hasMissed?: boolean;
}

/** Reads an event for the rows of a list. */
export type ReadNews = (event: LiveEvent) => LiveNews;
