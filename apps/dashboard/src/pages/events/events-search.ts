/** What the address of the events can say, by the API's own names. */
export interface EventsSearch {
  /** The one type that is shown. */
  types?: string | undefined;
  /** Number of the event after which the log is replayed. */
  since?: string | undefined;
}

/** Reads an address; what it does not know is left out. */
export function readEventsSearch({ types, since }: Record<string, unknown>): EventsSearch {
  return {
    ...(typeof types === 'string' && types !== '' && { types }),
    ...(typeof since === 'string' && /^\d{1,15}$/.test(since) && { since }),
  };
}
