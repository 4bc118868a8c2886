import type { Place } from '../support/places.ts';
import { recount } from '../support/recount.ts';

/** What a place keeps, counted from its rows. */
export interface Kept {
  /** What does not fit together: nothing, when nothing was half-written. */
  faults: unknown[];
  /** Status by id: 0 running, 1 completed, 2 failed. */
  spans: Map<string, number>;
}

/** Counts what is kept there, also while a program runs. */
export async function keptAt(place: Place): Promise<Kept> {
  if (place.mode === 'local') {
    const { integrity, wrongRollUps, halves, spans } = recount(place.dataDir);
    const broken = [integrity === 'ok' ? [] : [integrity], halves === 0 ? [] : [`${halves} halves`]];
    return { faults: [...broken.flat(), ...wrongRollUps], spans };
  }
  const spans = await place.rows<{ id: string; status: number }>('select id, status from span');
  return {
    faults: await place.rows(FAULTS),
    spans: new Map(spans.map(({ id, status }) => [id, status])),
  };
}

/** The faults that `recount` finds on SQLite; on Postgres a span has a third row, its key. */
const FAULTS = `
  select t.id, 'roll-up' as fault from trace t left join span s on s.project_id = t.project_id and s.trace_id = t.id
  group by t.project_id, t.id
  having t.span_count <> count(s.id)
    or t.running_count <> count(s.id) filter (where s.status = 0)
    or t.error_count <> count(s.id) filter (where s.status = 2)
    or t.total_tokens <> coalesce(sum(s.total_tokens), 0)
    or t.cost_count <> count(s.cost)
    or t.unpriced_count <> coalesce(sum(case when s.cost is null and s.total_tokens > 0 and s.status <> 0 then 1 else 0 end), 0)
    or abs(t.cost_usd + t.cost_pico / 1e12 - coalesce(sum(s.cost), 0)) > 1e-9
    or t.last_ended_at is distinct from max(s.ended_at)
    or (select coalesce(sum((entry ->> 1)::int), 0) from json_array_elements(t.models::json) entry) <> count(s.model)
  union all
  select coalesce(s.id, p.span_id, k.id), 'half' from span s
  full join span_payload p on p.project_id = s.project_id and p.span_id = s.id
  full join span_key k on k.project_id = coalesce(s.project_id, p.project_id) and k.id = coalesce(s.id, p.span_id)
  where s.id is null or p.span_id is null or k.id is null`;
