import { Migration } from '@mikro-orm/migrations';

/** Start of the bucket of a span, in whole numbers that are never below zero (libs/analytics, `bucketOf`). */
const startOf = (widthMs: number): string =>
  `(started_at + 120960000000000) / ${widthMs} * ${widthMs} - 120960000000000`;

/** The grains of the roll-up: their number, the bucket of a span, and whether they distinguish models. */
const GRAINS = [
  { grain: 0, bucket: '0', named: true },
  { grain: 1, bucket: startOf(86_400_000), named: true },
  { grain: 2, bucket: startOf(3_600_000), named: true },
  { grain: 3, bucket: startOf(3_600_000), named: false },
  { grain: 4, bucket: startOf(60_000), named: true },
];

/** Cached tokens of spans, LLM calls of traces, and input and cached tokens in the roll-ups, also of what is there. */
export class CallsAndTokens extends Migration {
  override up(): void {
    this.addSql('alter table span add column cached_tokens bigint');
    this.addSql('alter table trace add column call_count int not null default 0');
    for (const column of ['input_tokens', 'cached_tokens']) {
      this.addSql(`alter table analytics_rollup add column ${column} double not null default 0`);
    }
    this.addSql(`update span set cached_tokens = c.tokens from (
        select project_id, span_id, json_extract(kind, '$.cached_input_tokens') as tokens from span_payload
        where kind like '%"cached_input_tokens"%' and json_type(kind, '$.cached_input_tokens') = 'integer'
      ) c where span.project_id = c.project_id and span.id = c.span_id and c.tokens >= 0`);
    this.addSql(`update trace set call_count = c.calls from (
        select project_id, trace_id, count(*) as calls from span where kind_type = 'llm_call' group by project_id, trace_id
      ) c where trace.project_id = c.project_id and trace.id = c.trace_id`);
    for (const { grain, bucket, named } of GRAINS) {
      const name = (column: string): string => (named ? `coalesce('=' || ${column}, '')` : `''`);
      const llm = named ? `case when kind_type = 'llm_call' then 1 else 0 end` : '0';
      this.addSql(`update analytics_rollup as r set input_tokens = c.input, cached_tokens = c.cached from (
          select project_id, ${bucket} as bucket, ${name('model')} as model, ${name('provider')} as provider, status,
            ${llm} as llm, coalesce(sum(input_tokens), 0) as input, coalesce(sum(cached_tokens), 0) as cached
          from span where input_tokens > 0 or cached_tokens > 0 group by 1, 2, 3, 4, 5, 6
        ) c where r.project_id = c.project_id and r.grain = ${grain} and r.bucket = c.bucket and r.model = c.model
          and r.provider = c.provider and r.status = c.status and r.llm = c.llm`);
    }
  }
}
