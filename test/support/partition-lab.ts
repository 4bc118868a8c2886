import { withClient } from './postgres.ts';

/** How many rows of a Postgres database contradict each other: all of it is 0, whatever was written. */
export function contradictions(url: string): Promise<Record<string, number>> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Record<string, number>>(`select
      (select count(*)::int from span s left join span_key k
        on k.project_id = s.project_id and k.id = s.id and k.started_at = s.started_at and k.trace_id = s.trace_id
        where k.id is null) as "spans without key",
      (select count(*)::int from span_key k left join span s
        on k.project_id = s.project_id and k.id = s.id and k.started_at = s.started_at where s.id is null) as "keys without span",
      (select count(*)::int from span_payload p left join span s
        on p.project_id = s.project_id and p.span_id = s.id and p.started_at = s.started_at where s.id is null) as "payloads without span",
      (select count(*)::int from span s left join span_payload p
        on p.project_id = s.project_id and p.span_id = s.id and p.started_at = s.started_at where p.span_id is null) as "spans without payload",
      (select count(*)::int from (select 1 from span group by project_id, id having count(*) > 1) twice) as "ids twice",
      (select count(*)::int from span s left join trace t on t.project_id = s.project_id and t.id = s.trace_id
        where t.id is null) as "spans without trace",
      (select count(*)::int from trace_tag g left join trace t on t.project_id = g.project_id and t.id = g.trace_id
        and t.started_at = g.started_at where t.id is null) as "tags without trace",
      (select count(*)::int from (
        select t.id from trace t left join span s on s.project_id = t.project_id and s.trace_id = t.id
        group by t.project_id, t.id
        having t.span_count <> count(s.id) or t.running_count <> count(*) filter (where s.status = 0)
          or t.error_count <> count(*) filter (where s.status = 2) or t.total_tokens <> coalesce(sum(s.total_tokens), 0)
          or t.cost_count <> count(s.cost)
          or t.unpriced_count <> coalesce(sum(case when s.cost is null and s.total_tokens > 0 and s.status <> 0 then 1 else 0 end), 0)
          or abs(t.cost_usd + t.cost_pico / 1e12 - coalesce(sum(s.cost), 0)) > 1e-9
          or t.last_ended_at is distinct from max(s.ended_at)
          or (select coalesce(sum((m ->> 1)::int), 0) from json_array_elements(t.models::json) m) <> count(s.model)
      ) wrong) as "wrong roll-ups"`);
    return rows[0]!;
  });
}

/** The answer of {@link contradictions} of a database in order. */
export const NO_CONTRADICTIONS: Record<string, number> = {
  'spans without key': 0,
  'keys without span': 0,
  'payloads without span': 0,
  'spans without payload': 0,
  'ids twice': 0,
  'spans without trace': 0,
  'tags without trace': 0,
  'wrong roll-ups': 0,
};

/** The days that have partitions, as their names say them. */
export const partitionedDays = (url: string): Promise<string[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ day: string }>(
      "select right(relname, 8) as day from pg_class where relkind = 'r' and relname ~ '^span_p[0-9]{8}$' order by 1",
    );
    return rows.map(({ day }) => day);
  });
