import { Migration } from '@mikro-orm/migrations';

export class TracesAndSpans extends Migration {
  override up(): void {
    this.addSql('create table `span` (`project_id` text not null, `id` text not null, `trace_id` text not null, `parent_id` text null, `name` text not null, `status` integer not null, `kind_type` text not null, `model` text null, `provider` text null, `input_tokens` bigint null, `output_tokens` bigint null, `total_tokens` bigint null, `cost` double null, `started_at` bigint not null, `ended_at` bigint null, `duration_ms` bigint null, `create_hash` text null, primary key (`project_id`, `id`))');
    this.addSql('create index `span_trace` on `span` (`project_id`, `trace_id`, `started_at`, `id`)');
    this.addSql('create index `span_started_at` on `span` (`project_id`, `started_at`, `id`)');
    this.addSql('create index `span_model` on `span` (`project_id`, `model`, `started_at`, `id`) where model is not null');
    this.addSql('create index `span_unfinished` on `span` (`project_id`, `status`, `started_at`, `id`) where status <> 1');
    this.addSql('create table `span_payload` (`project_id` text not null, `span_id` text not null, `kind` text not null, `input` text null, `output` text null, `metadata` text null, `error` text null, primary key (`project_id`, `span_id`))');
    this.addSql('create table `trace` (`project_id` text not null, `id` text not null, `name` text null, `session_id` text null, `user_id` text null, `tags` text not null, `metadata` text not null, `started_at` bigint not null, `create_hash` text null, `status` integer not null, `span_count` integer not null, `running_count` integer not null, `error_count` integer not null, `total_tokens` bigint not null, `cost_usd` bigint not null, `cost_pico` bigint not null, `cost_count` integer not null, `models` text not null, `last_ended_at` bigint null, primary key (`project_id`, `id`))');
    this.addSql('create index `trace_started_at` on `trace` (`project_id`, `started_at`, `id`)');
    this.addSql('create index `trace_session` on `trace` (`project_id`, `session_id`, `started_at`, `id`) where session_id is not null');
    this.addSql('create index `trace_user` on `trace` (`project_id`, `user_id`, `started_at`, `id`) where user_id is not null');
    this.addSql('create index `trace_unfinished` on `trace` (`project_id`, `status`, `started_at`, `id`) where status <> 1');
    this.addSql('create table `trace_tag` (`project_id` text not null, `tag` text not null, `started_at` bigint not null, `trace_id` text not null, primary key (`project_id`, `tag`, `started_at`, `trace_id`))');
  }
}
