import { Migration } from '@mikro-orm/migrations';

/** Datapoints that runs choose, former attempts of samples, and answers that later runs may take over. */
export class RunSubsets extends Migration {
  override up(): void {
    this.addSql(`create table datapoint_selection (
      project_id text not null,
      id text not null,
      datapoint_id text not null,
      primary key (project_id, id, datapoint_id)
    )`);
    for (const table of ['eval_result', 'eval_sample']) {
      this.addSql(`alter table ${table} add column call_hash text`);
      this.addSql(`alter table ${table} add column reused_run_id text`);
      this.addSql(`create index ${table}_call on ${table} (project_id, call_hash) where call_hash is not null`);
    }
    this.addSql(`create table eval_attempt (
      project_id text not null,
      run_id text not null,
      datapoint_id text not null,
      repeat integer not null,
      attempt integer not null,
      status integer not null,
      output text,
      score double,
      score_reason text,
      latency_ms bigint,
      tokens bigint,
      cost double,
      error text,
      attempts integer not null,
      judge_model text,
      judge_prompt_hash text,
      judge_tokens bigint,
      judge_cost double,
      trace_id text,
      span_id text,
      metadata text,
      scores text,
      result_hash text,
      call_hash text,
      reused_run_id text,
      is_kept integer not null,
      retried_at bigint not null,
      primary key (project_id, run_id, datapoint_id, repeat, attempt)
    )`);
    for (const column of ['retried_samples', 'retried_usd', 'retried_pico']) {
      this.addSql(`alter table eval_run add column ${column} bigint not null default '0'`);
    }
  }
}
