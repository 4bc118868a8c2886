import { Migration } from '@mikro-orm/migrations';

/** The columns have no default: Postgres adds them to every partition without writing a row. */
export class UsageCover extends Migration {
  override up(): void {
    this.addSql('alter table "span" add "cover" smallint null');
    this.addSql('alter table "trace" add "origins" text collate "C" null');
    this.addSql('create table "usage_mark" ("project_id" text collate "C" not null, "trace_id" text collate "C" not null, "span_id" text collate "C" not null, primary key ("project_id", "trace_id", "span_id"))');
    this.addSql('create table "otlp_event" ("project_id" text collate "C" not null, "trace_id" text collate "C" not null, "span_id" text collate "C" not null, "id" text collate "C" not null, "time" text collate "C" not null, "event" text collate "C" not null, "came_at" bigint not null, "position" int not null, "merged" smallint not null, primary key ("project_id", "trace_id", "span_id", "id"))');
    this.addSql('create index "otlp_event_came_at" on "otlp_event" ("came_at")');
  }
}
