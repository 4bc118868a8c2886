import { Migration } from '@mikro-orm/migrations';

/** Datapoints that runs choose, former attempts of samples, and answers that later runs may take over. */
export class RunSubsets extends Migration {
  override up(): void {
    this.addSql(`create table datapoint_selection (
      project_id text collate "C" not null,
      id text collate "C" not null,
      datapoint_id text collate "C" not null,
      primary key (project_id, id, datapoint_id)
    )`);
    for (const table of ['eval_result', 'eval_sample']) {
      this.addSql(`alter table ${table} add column call_hash text collate "C"`);
      this.addSql(`alter table ${table} add column reused_run_id text collate "C"`);
      this.addSql(`create index ${table}_call on ${table} (project_id, call_hash) where call_hash is not null`);
    }
    this.addSql(`create table eval_attempt (
      project_id text collate "C" not null,
      run_id text collate "C" not null,
      datapoint_id text collate "C" not null,
      repeat int not null,
      attempt int not null,
      status smallint not null,
      output text collate "C",
      score double precision,
      score_reason text collate "C",
      latency_ms bigint,
      tokens bigint,
      cost double precision,
      error text collate "C",
      attempts int not null,
      judge_model text collate "C",
      judge_prompt_hash text collate "C",
      judge_tokens bigint,
      judge_cost double precision,
      trace_id text collate "C",
      span_id text collate "C",
      metadata text collate "C",
      scores text collate "C",
      result_hash text collate "C",
      call_hash text collate "C",
      reused_run_id text collate "C",
      is_kept smallint not null,
      retried_at bigint not null,
      primary key (project_id, run_id, datapoint_id, repeat, attempt)
    )`);
    for (const column of ['retried_samples', 'retried_usd', 'retried_pico']) {
      this.addSql(`alter table eval_run add column ${column} bigint not null default '0'`);
    }
  }
}
