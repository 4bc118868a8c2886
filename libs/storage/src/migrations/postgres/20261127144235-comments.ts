import { Migration } from '@mikro-orm/migrations';

export class Comments extends Migration {
  override up(): void {
    this.addSql('create table "comment" ("project_id" text collate "C" not null, "id" text collate "C" not null, "target_type" smallint not null, "target_id" text collate "C" not null, "parent_id" text collate "C" not null, "text" text collate "C" not null, "created_by" text collate "C" not null, "created_by_name" text collate "C" null, "created_at" bigint not null, "edited_at" bigint null, primary key ("project_id", "id"))');
    this.addSql('create index "comment_target" on "comment" ("project_id", "parent_id", "target_id", "id")');
  }
}
