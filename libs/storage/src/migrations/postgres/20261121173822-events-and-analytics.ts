import { Migration } from '@mikro-orm/migrations';

export class EventsAndAnalytics extends Migration {
  override up(): void {
    this.addSql('create table "analytics_total" ("project_id" text collate "C" not null, "trace_count" bigint not null, primary key ("project_id"))');
    this.addSql('create table "event_counter" ("project_id" text collate "C" not null, "last_seq" bigint not null, primary key ("project_id"))');
    this.addSql('create table "event_log" ("project_id" text collate "C" not null, "last_seq" bigint not null, "first_seq" bigint not null, "lines" text collate "C" not null, "created_at" bigint not null, primary key ("project_id", "last_seq"))');
    this.addSql('create table "analytics_rollup" ("project_id" text collate "C" not null, "grain" smallint not null, "bucket" bigint not null, "model" text collate "C" not null, "provider" text collate "C" not null, "status" smallint not null, "llm" smallint not null, "span_count" bigint not null, "tokens" double precision not null, "duration_ms" double precision not null, "cost_usd" bigint not null, "cost_pico" bigint not null, "cost_count" bigint not null, primary key ("project_id", "grain", "bucket", "model", "provider", "status", "llm"))');
  }
}
