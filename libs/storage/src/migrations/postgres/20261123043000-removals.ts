import { Migration } from '@mikro-orm/migrations';

export class Removals extends Migration {
  override up(): void {
    this.addSql('alter table "organization" add "deleting_at" bigint null');
    this.addSql('alter table "project" add "deleting_at" bigint null');
    this.addSql('create table "removal" ("id" text collate "C" not null, "kind" text collate "C" not null, "org_id" text collate "C" not null, "name" text collate "C" not null, "requested_at" bigint not null, "requested_by" text collate "C" not null, "step" text collate "C" null, "rows_deleted" bigint not null, "counts" text collate "C" not null, "lease_owner" text collate "C" null, "lease_until" bigint not null, "finished_at" bigint null, "progressed_at" bigint not null, "failures" int not null, "last_error" text collate "C" null, primary key ("id"))');
    this.addSql('create index "removal_org" on "removal" ("org_id")');
  }
}
