import { Migration } from '@mikro-orm/migrations';

export class UsageCover extends Migration {
  override up(): void {
    this.addSql('alter table `span` add column `cover` integer null');
    this.addSql('alter table `trace` add column `origins` text null');
    this.addSql('create table `usage_mark` (`project_id` text not null, `trace_id` text not null, `span_id` text not null, primary key (`project_id`, `trace_id`, `span_id`))');
    this.addSql('create table `otlp_event` (`project_id` text not null, `trace_id` text not null, `span_id` text not null, `id` text not null, `time` text not null, `event` text not null, `came_at` bigint not null, `position` integer not null, `merged` integer not null, primary key (`project_id`, `trace_id`, `span_id`, `id`))');
    this.addSql('create index `otlp_event_came_at` on `otlp_event` (`came_at`)');
  }
}
