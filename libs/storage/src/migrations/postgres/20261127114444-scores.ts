import { Migration } from '@mikro-orm/migrations';

export class Scores extends Migration {
  override up(): void {
    this.addSql('create table "queue_reviewer" ("project_id" text collate "C" not null, "group_id" text collate "C" not null, "reviewer" text collate "C" not null, "item_id" text collate "C" not null, primary key ("project_id", "group_id", "reviewer"))');
    this.addSql('create index "queue_reviewer_item" on "queue_reviewer" ("project_id", "item_id")');
    this.addSql('create table "score" ("project_id" text collate "C" not null, "id" text collate "C" not null, "name" text collate "C" not null, "value" double precision null, "label" text collate "C" null, "comment" text collate "C" null, "source" text collate "C" not null, "author" text collate "C" not null, "trace_id" text collate "C" null, "span_id" text collate "C" null, "session_id" text collate "C" null, "model" text collate "C" null, "rule_id" text collate "C" null, "queue_item_id" text collate "C" null, "config" text collate "C" null, "metadata" text collate "C" not null, "revisions" text collate "C" not null, "is_random" smallint not null, "target_at" bigint not null, "created_at" bigint not null, "updated_at" bigint not null, primary key ("project_id", "id"))');
    this.addSql('create index "score_created" on "score" ("project_id", "created_at", "id")');
    this.addSql('create index "score_name" on "score" ("project_id", "name", "target_at", "value")');
    this.addSql('create index "score_value" on "score" ("project_id", "name", "value", "span_id", "trace_id")');
    this.addSql('create index "score_label" on "score" ("project_id", "name", "label", "span_id", "trace_id")');
    this.addSql('create index "score_trace" on "score" ("project_id", "trace_id", "created_at", "id") where trace_id is not null');
    this.addSql('create index "score_span" on "score" ("project_id", "span_id", "created_at", "id") where span_id is not null');
    this.addSql('create index "score_session" on "score" ("project_id", "session_id", "created_at", "id") where session_id is not null');
    this.addSql('create table "score_definition" ("project_id" text collate "C" not null, "id" text collate "C" not null, "name" text collate "C" not null, "kind" text collate "C" not null, "min" double precision null, "max" double precision null, "categories" text collate "C" not null, "level" text collate "C" not null, "description" text collate "C" null, "created_at" bigint not null, "updated_at" bigint not null, primary key ("project_id", "id"))');
    this.addSql('alter table "score_definition" add constraint "score_definition_name" unique ("project_id", "name")');
    this.addSql('create table "score_rollup" ("project_id" text collate "C" not null, "name" text collate "C" not null, "bucket" bigint not null, "source" text collate "C" not null, "model" text collate "C" not null, "label" text collate "C" not null, "score_count" bigint not null, "value_count" bigint not null, "value_sum" double precision not null, "square_sum" double precision not null, "value_min" double precision null, "value_max" double precision null, primary key ("project_id", "name", "bucket", "source", "model", "label"))');
    this.addSql(`alter table "queue_item" add "group_id" text collate "C" null, add "review_no" smallint not null default 1, add "reviews_required" smallint not null default 1, add "form" text collate "C" not null default '[]', add "instructions" text collate "C" null, add "rank" int not null default 0, add "blind" smallint not null default 1, add "scores" text collate "C" not null default '[]', add "answers" text collate "C" not null default '[]', add "comment" text collate "C" null, add "skipped" smallint not null default 0, add "completed_at" bigint null`);
    this.addSql('create index "queue_item_next" on "queue_item" ("project_id", "dataset_id", "status", "rank", "id")');
    this.addSql('create index "queue_item_group" on "queue_item" ("project_id", "group_id", "id") where group_id is not null');
  }
}
