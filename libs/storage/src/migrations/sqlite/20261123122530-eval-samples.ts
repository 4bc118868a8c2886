import { Migration } from '@mikro-orm/migrations';
import { RUNS_OF_SINGLE_SAMPLES } from '../runs-of-single-samples.js';

/** Repeats, several scorers, statistics, gates, cost caps and external runs of evaluations; each datapoint of the runs that are there was tried once. */
export class EvalSamples extends Migration {
  override up(): void {
    this.addSql('create table `eval_run_metadata` (`project_id` text not null, `run_id` text not null, `key` text not null, `value` text not null, primary key (`project_id`, `run_id`, `key`))');
    this.addSql('create index `eval_run_metadata_key` on `eval_run_metadata` (`project_id`, `key`, `run_id`)');
    this.addSql('create table `eval_sample` (`project_id` text not null, `run_id` text not null, `datapoint_id` text not null, `repeat` integer not null, `status` integer not null, `output` text null, `score` double null, `score_reason` text null, `latency_ms` bigint null, `tokens` bigint null, `cost` double null, `error` text null, `attempts` integer not null, `judge_model` text null, `judge_prompt_hash` text null, `judge_tokens` bigint null, `judge_cost` double null, `trace_id` text null, `span_id` text null, `metadata` text null, `scores` text null, `result_hash` text null, primary key (`project_id`, `run_id`, `datapoint_id`, `repeat`))');
    this.addSql('create table `eval_submission` (`project_id` text not null, `run_id` text not null, `datapoint_id` text not null, `repeat` integer not null, `result` text not null, `result_hash` text not null, primary key (`project_id`, `run_id`, `datapoint_id`, `repeat`))');
    this.addSql('alter table `eval_result` add column `span_id` text null');
    this.addSql('alter table `eval_result` add column `metadata` text null');
    this.addSql('alter table `eval_result` add column `scores` text null');
    this.addSql('alter table `eval_result` add column `result_hash` text null');
    this.addSql('alter table `eval_run` add column `scorers` text null');
    this.addSql('alter table `eval_run` add column `execution` integer not null default 0');
    this.addSql('alter table `eval_run` add column `repeats` integer not null default 1');
    this.addSql('alter table `eval_run` add column `pass_score` double not null default 1');
    this.addSql('alter table `eval_run` add column `cost_cap` double null');
    this.addSql('alter table `eval_run` add column `gates` text null');
    this.addSql('alter table `eval_run` add column `metadata` text null');
    this.addSql('alter table `eval_run` add column `start_hash` text null');
    this.addSql(`alter table \`eval_run\` add column \`sample_progress\` bigint not null default '0'`);
    this.addSql(`alter table \`eval_run\` add column \`failed_samples\` bigint not null default '0'`);
    this.addSql('alter table `eval_run` add column `dearest_usd` bigint null');
    this.addSql('alter table `eval_run` add column `dearest_pico` bigint null');
    this.addSql('alter table `eval_run` add column `score_se` double null');
    this.addSql('alter table `eval_run` add column `score_ci` text null');
    this.addSql('alter table `eval_run` add column `passed` integer null');
    this.addSql('alter table `eval_run` add column `stop_reason` integer null');
    this.addSql(`alter table \`eval_run\` add column \`unscored\` bigint not null default '0'`);
    this.addSql('alter table `eval_run` add column `result_at` bigint null');
    for (const statement of RUNS_OF_SINGLE_SAMPLES) this.addSql(statement);
  }
}
