import { Migration } from '@mikro-orm/migrations';
import { RUNS_OF_SINGLE_SAMPLES } from '../runs-of-single-samples.js';

/** Repeats, several scorers, statistics, gates, cost caps and external runs of evaluations; each datapoint of the runs that are there was tried once. */
export class EvalSamples extends Migration {
  override up(): void {
    this.addSql('create table "eval_run_metadata" ("project_id" text collate "C" not null, "run_id" text collate "C" not null, "key" text collate "C" not null, "value" text collate "C" not null, primary key ("project_id", "run_id", "key"))');
    this.addSql('create index "eval_run_metadata_key" on "eval_run_metadata" ("project_id", "key", "run_id")');
    this.addSql('create table "eval_sample" ("project_id" text collate "C" not null, "run_id" text collate "C" not null, "datapoint_id" text collate "C" not null, "repeat" int not null, "status" smallint not null, "output" text collate "C" null, "score" double precision null, "score_reason" text collate "C" null, "latency_ms" bigint null, "tokens" bigint null, "cost" double precision null, "error" text collate "C" null, "attempts" int not null, "judge_model" text collate "C" null, "judge_prompt_hash" text collate "C" null, "judge_tokens" bigint null, "judge_cost" double precision null, "trace_id" text collate "C" null, "span_id" text collate "C" null, "metadata" text collate "C" null, "scores" text collate "C" null, "result_hash" text collate "C" null, primary key ("project_id", "run_id", "datapoint_id", "repeat"))');
    this.addSql('create table "eval_submission" ("project_id" text collate "C" not null, "run_id" text collate "C" not null, "datapoint_id" text collate "C" not null, "repeat" int not null, "result" text collate "C" not null, "result_hash" text collate "C" not null, primary key ("project_id", "run_id", "datapoint_id", "repeat"))');
    this.addSql('alter table "eval_result" add "span_id" text collate "C" null, add "metadata" text collate "C" null, add "scores" text collate "C" null, add "result_hash" text collate "C" null');
    this.addSql(`alter table "eval_run" add "scorers" text collate "C" null, add "execution" smallint not null default 0, add "repeats" int not null default 1, add "pass_score" double precision not null default 1, add "cost_cap" double precision null, add "gates" text collate "C" null, add "metadata" text collate "C" null, add "start_hash" text collate "C" null, add "sample_progress" bigint not null default '0', add "failed_samples" bigint not null default '0', add "dearest_usd" bigint null, add "dearest_pico" bigint null, add "score_se" double precision null, add "score_ci" text collate "C" null, add "passed" smallint null, add "stop_reason" smallint null, add "unscored" bigint not null default '0', add "result_at" bigint null`);
    for (const statement of RUNS_OF_SINGLE_SAMPLES) this.addSql(statement);
  }
}
