import { Migration } from '@mikro-orm/migrations';

export class EventsAndAnalytics extends Migration {
  override up(): void {
    this.addSql('create table `analytics_total` (`project_id` text not null primary key, `trace_count` bigint not null)');
    this.addSql('create table `event_counter` (`project_id` text not null primary key, `last_seq` bigint not null)');
    this.addSql('create table `event_log` (`project_id` text not null, `last_seq` bigint not null, `first_seq` bigint not null, `lines` text not null, `created_at` bigint not null, primary key (`project_id`, `last_seq`))');
    this.addSql('create table `analytics_rollup` (`project_id` text not null, `grain` integer not null, `bucket` bigint not null, `model` text not null, `provider` text not null, `status` integer not null, `llm` integer not null, `span_count` bigint not null, `tokens` double not null, `duration_ms` double not null, `cost_usd` bigint not null, `cost_pico` bigint not null, `cost_count` bigint not null, primary key (`project_id`, `grain`, `bucket`, `model`, `provider`, `status`, `llm`))');
  }
}
