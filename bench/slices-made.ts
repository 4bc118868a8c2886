import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 500;
const WAIT_MS_MAX = 600_000;
/** Fewer spans may be in no slice. */
const SPANS_MIN = 2_000;

/** Asks the database how far the slices of texts are (ADR 0037): whether there are any, and none that is open. */
export const SLICES_MADE = `select case when count(*) > 0 and sum(case when state = 0 then 1 else 0 end) = 0
  then 1 else 0 end as made from text_slice`;

/**
 * Waits until the server has put the texts of a database into slices, which it does in the background, so that searches are
 * measured as they are for all but a database that was filled a minute ago.
 * @param spans how many the database has.
 * @param ask runs {@link SLICES_MADE}.
 */
export async function slicesMade(spans: number, ask: () => Promise<unknown>): Promise<void> {
  if (spans < SPANS_MIN) return;
  const until = Date.now() + WAIT_MS_MAX;
  while (Number(await ask()) !== 1) {
    if (Date.now() > until) throw new Error('texts are not in slices after ten minutes');
    await pause(PAUSE_MS);
  }
}
