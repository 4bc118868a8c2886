import { Migration } from '@mikro-orm/migrations';

export class Search extends Migration {
  override up(): void {
    this.addSql('create table "search_state" ("project_id" text collate "C" not null, "index_name" text collate "C" not null, "embedding" text collate "C" null, "after_id" text collate "C" null, primary key ("project_id"))');
    this.addSql('create index "search_state_unfinished" on "search_state" ("project_id") where after_id is not null');
    this.addSql('create table "search_task" ("project_id" text collate "C" not null, "kind" smallint not null, "id" text collate "C" not null, "due_at" bigint not null, "claim" text collate "C" null, "texted" smallint not null, primary key ("project_id", "kind", "id"))');
    this.addSql('create index "search_task_due" on "search_task" ("due_at")');
  }
}
