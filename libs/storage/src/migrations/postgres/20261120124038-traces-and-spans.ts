import { Migration } from '@mikro-orm/migrations';

export class TracesAndSpans extends Migration {
  override up(): void {
    this.addSql('create table "span" ("project_id" text collate "C" not null, "id" text collate "C" not null, "trace_id" text collate "C" not null, "parent_id" text collate "C" null, "name" text collate "C" not null, "status" smallint not null, "kind_type" text collate "C" not null, "model" text collate "C" null, "provider" text collate "C" null, "input_tokens" bigint null, "output_tokens" bigint null, "total_tokens" bigint null, "cost" double precision null, "started_at" bigint not null, "ended_at" bigint null, "duration_ms" bigint null, "create_hash" text collate "C" null, primary key ("project_id", "id"))');
    this.addSql('create index "span_trace" on "span" ("project_id", "trace_id", "started_at", "id")');
    this.addSql('create index "span_started_at" on "span" ("project_id", "started_at", "id")');
    this.addSql('create index "span_model" on "span" ("project_id", "model", "started_at", "id") where model is not null');
    this.addSql('create index "span_unfinished" on "span" ("project_id", "status", "started_at", "id") where status <> 1');
    this.addSql('create table "span_payload" ("project_id" text collate "C" not null, "span_id" text collate "C" not null, "kind" text collate "C" not null, "input" text collate "C" null, "output" text collate "C" null, "metadata" text collate "C" null, "error" text collate "C" null, primary key ("project_id", "span_id"))');
    this.addSql('create table "trace" ("project_id" text collate "C" not null, "id" text collate "C" not null, "name" text collate "C" null, "session_id" text collate "C" null, "user_id" text collate "C" null, "tags" text collate "C" not null, "metadata" text collate "C" not null, "started_at" bigint not null, "create_hash" text collate "C" null, "status" smallint not null, "span_count" int not null, "running_count" int not null, "error_count" int not null, "total_tokens" bigint not null, "cost_usd" bigint not null, "cost_pico" bigint not null, "cost_count" int not null, "models" text collate "C" not null, "last_ended_at" bigint null, primary key ("project_id", "id"))');
    this.addSql('create index "trace_started_at" on "trace" ("project_id", "started_at", "id")');
    this.addSql('create index "trace_session" on "trace" ("project_id", "session_id", "started_at", "id") where session_id is not null');
    this.addSql('create index "trace_user" on "trace" ("project_id", "user_id", "started_at", "id") where user_id is not null');
    this.addSql('create index "trace_unfinished" on "trace" ("project_id", "status", "started_at", "id") where status <> 1');
    this.addSql('create table "trace_tag" ("project_id" text collate "C" not null, "tag" text collate "C" not null, "started_at" bigint not null, "trace_id" text collate "C" not null, primary key ("project_id", "tag", "started_at", "trace_id"))');
  }
}
