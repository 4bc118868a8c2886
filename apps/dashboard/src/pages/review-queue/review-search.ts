export interface ReviewSearch {
  /** The submitted item that is read. */
  item?: string;
  /** `done` lists what the reviewer submitted, `progress` says how far all are and whether they agree. */
  view?: 'done' | 'progress';
}

/** Reads an address; what it does not know is left out. */
export function readReviewSearch({ item, view }: Record<string, unknown>): ReviewSearch {
  return {
    ...(typeof item === 'string' && item !== '' && { item }),
    ...((view === 'done' || view === 'progress') && { view }),
  };
}
