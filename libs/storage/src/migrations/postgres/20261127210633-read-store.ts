import { Migration } from '@mikro-orm/migrations';

export class ReadStore extends Migration {
  override up(): void {
    this.addSql('create table "read_store_change" ("project_id" text collate "C" not null, "kind" smallint not null, "id" text collate "C" not null, "seq" int not null, "noted_at" bigint not null, "moved" smallint not null, "after_id" text collate "C" null, primary key ("project_id", "kind", "id"))');
    this.addSql('create index "read_store_change_noted" on "read_store_change" ("kind", "noted_at")');
    this.addSql('create table "read_store_state" ("id" text collate "C" primary key, "content" text collate "C" not null, "batch" bigint not null, "confirmed" bigint not null, "holder" text collate "C" not null, "lease_until" bigint not null)');
  }
}
