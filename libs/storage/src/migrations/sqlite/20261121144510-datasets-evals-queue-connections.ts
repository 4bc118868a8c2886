import { Migration } from '@mikro-orm/migrations';

export class DatasetsEvalsQueueConnections extends Migration {
  override up(): void {
    this.addSql('create table `capture` (`project_id` text not null, `rule_id` text not null, `span_id` text not null, `datapoint_id` text not null, primary key (`project_id`, `rule_id`, `span_id`))');
    this.addSql('create table `capture_rule` (`project_id` text not null, `id` text not null, `dataset_id` text not null, `name` text not null, `enabled` integer not null, `filters` text not null, `sample_rate` double not null, `captured_count` bigint not null, `created_at` bigint not null, `updated_at` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create index `capture_rule_dataset` on `capture_rule` (`project_id`, `dataset_id`, `id`)');
    this.addSql('create table `capture_task` (`project_id` text not null, `rule_id` text not null, `span_id` text not null, `failures` integer not null, `due_at` bigint not null, primary key (`project_id`, `rule_id`, `span_id`))');
    this.addSql('create index `capture_task_due` on `capture_task` (`due_at`)');
    this.addSql('create table `datapoint` (`project_id` text not null, `dataset_id` text not null, `id` text not null, `from_version` bigint not null, `to_version` bigint null, `import_id` text null, `source` integer not null, `source_span_id` text null, `kind` text not null, `result_output` text null, `result_score` double null, `created_at` bigint not null, `updated_at` bigint not null, primary key (`project_id`, `dataset_id`, `id`, `from_version`))');
    this.addSql('create index `datapoint_closed` on `datapoint` (`project_id`, `dataset_id`) where to_version is not null');
    this.addSql('create table `dataset` (`project_id` text not null, `id` text not null, `name` text not null, `description` text null, `datapoint_count` bigint not null, `version` bigint not null, `pinned_version` bigint not null, `created_at` bigint not null, `updated_at` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create table `dataset_import` (`project_id` text not null, `id` text not null, `dataset_id` text not null, `published_version` bigint null, `unfinished` integer not null, `announced_through` text null, `lease_until` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create index `dataset_import_dataset` on `dataset_import` (`project_id`, `dataset_id`)');
    this.addSql('create index `dataset_import_unfinished` on `dataset_import` (`lease_until`) where unfinished = 1');
    this.addSql('create table `eval_result` (`project_id` text not null, `run_id` text not null, `datapoint_id` text not null, `status` integer not null, `output` text null, `score` double null, `score_reason` text null, `latency_ms` bigint null, `tokens` bigint null, `cost` double null, `error` text null, `attempts` integer not null, `judge_model` text null, `judge_prompt_hash` text null, `judge_tokens` bigint null, `judge_cost` double null, primary key (`project_id`, `run_id`, `datapoint_id`))');
    this.addSql('create table `eval_run` (`project_id` text not null, `id` text not null, `dataset_id` text not null, `dataset_version` bigint not null, `name` text not null, `status` integer not null, `config` text not null, `scoring` text not null, `scoring_config` text null, `connection_id` text not null, `judge_connection_id` text null, `total` bigint not null, `progress` bigint not null, `failed_count` bigint not null, `score_sum` double not null, `score_count` bigint not null, `total_tokens` bigint not null, `cost_usd` bigint not null, `cost_pico` bigint not null, `cost_count` bigint not null, `judge_tokens` bigint not null, `judge_cost_usd` bigint not null, `judge_cost_pico` bigint not null, `judge_cost_count` bigint not null, `error` text null, `created_at` bigint not null, `started_at` bigint null, `ended_at` bigint null, `running` text not null, `lease_owner` text null, `lease_until` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create index `eval_run_dataset` on `eval_run` (`project_id`, `dataset_id`, `id`)');
    this.addSql('create index `eval_run_unfinished` on `eval_run` (`status`, `lease_until`) where status < 2');
    this.addSql('create table `provider_connection` (`project_id` text not null, `id` text not null, `name` text not null, `provider` text not null, `base_url` text null, `default_model` text null, `key_id` text not null, `sealed_key` text not null, `created_at` bigint not null, `updated_at` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create table `queue_item` (`project_id` text not null, `id` text not null, `dataset_id` text not null, `datapoint_id` text not null, `status` integer not null, `claimed_by` text null, `claimed_at` bigint null, `original_data` text not null, `edited_data` text null, `created_at` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create index `queue_item_dataset` on `queue_item` (`project_id`, `dataset_id`, `id`)');
    this.addSql('create index `queue_item_dataset_status` on `queue_item` (`project_id`, `dataset_id`, `status`, `id`)');
    this.addSql('create index `queue_item_status` on `queue_item` (`project_id`, `status`, `id`)');
    this.addSql('create index `queue_item_reviewer` on `queue_item` (`project_id`, `claimed_by`, `id`) where claimed_by is not null');
    this.addSql('create index `queue_item_datapoint` on `queue_item` (`project_id`, `dataset_id`, `datapoint_id`, `status`)');
    this.addSql('create index `queue_item_claimed` on `queue_item` (`claimed_at`) where status = 1');
  }
}
