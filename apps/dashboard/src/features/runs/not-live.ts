import type { LiveList } from '../live-list/use-live-list.js';

/** What a list has whose rows nobody adds or deletes while it is read. */
export const NOT_LIVE: LiveList = {
  held: null,
  show: () => undefined,
  deleted: new Set(),
  onTouched: () => undefined,
};
