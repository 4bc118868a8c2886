import type { Place } from '../support/places.ts';

/** What half a minute does in cloud mode, where a killed server counts as alive for so long (ADR 0014); nothing in local mode. */
export async function forgetServer(place: Place, runId: string): Promise<void> {
  if (place.mode === 'local') return;
  await place.rows(`update eval_run set lease_until = 0 where id = '${runId}'`);
  await place.rows(`update spandrel_jobs.job set heartbeat_on = heartbeat_on - interval '1 minute'
    where state = 'active' and data ->> 'id' = '${runId}'`);
}
