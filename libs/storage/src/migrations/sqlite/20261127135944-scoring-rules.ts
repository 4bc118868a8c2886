import { Migration } from '@mikro-orm/migrations';

export class ScoringRules extends Migration {
  override up(): void {
    this.addSql('create table `scoring_hour` (`project_id` text not null, `rule_id` text not null, `hour` bigint not null, `matched` bigint not null, `sampled` bigint not null, `scored` bigint not null, `failed` bigint not null, `budget` bigint not null, `overload` bigint not null, `cost` double not null, primary key (`project_id`, `rule_id`, `hour`))');
    this.addSql('create table `scoring_rule` (`project_id` text not null, `id` text not null, `name` text not null, `enabled` integer not null, `target` text not null, `quiet_ms` integer not null, `filters` text not null, `sample_rate` double not null, `cohort` text null, `trigger` text not null, `on_score` text null, `scoring` text not null, `scoring_config` text null, `judge` text null, `connection_id` text null, `judge_model` text null, `score_name` text not null, `daily_cap` double null, `scored_count` bigint not null, `failed_count` bigint not null, `skipped_count` bigint not null, `dearest` double null, `last_error` text null, `backfill` text null, `decides_since` bigint not null, `created_at` bigint not null, `updated_at` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create table `scoring_task` (`project_id` text not null, `rule_id` text not null, `target_id` text not null, `state` integer not null, `owner` text null, `failures` integer not null, `attempts` text not null, `noted_at` bigint not null, `due_at` bigint not null, `is_backfill` integer not null, `is_counted` integer not null, primary key (`project_id`, `rule_id`, `target_id`))');
    this.addSql('create index `scoring_task_due` on `scoring_task` (`project_id`, `rule_id`, `state`, `due_at`)');
  }
}
