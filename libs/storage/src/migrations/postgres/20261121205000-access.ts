import { Migration } from '@mikro-orm/migrations';

export class Access extends Migration {
  override up(): void {
    this.addSql('create table "organization" ("id" text collate "C" not null, "name" text collate "C" not null, "plan" text collate "C" not null, "rate_limit" int null, "created_at" bigint not null, primary key ("id"))');
    this.addSql('create table "project" ("id" text collate "C" not null, "org_id" text collate "C" not null, "name" text collate "C" not null, "created_at" bigint not null, primary key ("id"))');
    this.addSql('create index "project_org" on "project" ("org_id", "id")');
    this.addSql('create table "api_key" ("id" text collate "C" not null, "org_id" text collate "C" not null, "project_id" text collate "C" not null, "name" text collate "C" not null, "prefix" text collate "C" not null, "digest" text collate "C" not null, "scopes" text collate "C" not null, "expires_at" bigint null, "created_at" bigint not null, primary key ("id"))');
    this.addSql('create index "api_key_org" on "api_key" ("org_id", "id")');
    this.addSql('alter table "api_key" add constraint "api_key_digest" unique ("digest")');
    this.addSql('create table "audit_log" ("id" text collate "C" not null, "at" bigint not null, "org_id" text collate "C" null, "actor" text collate "C" not null, "action" text collate "C" not null, "target_id" text collate "C" not null, "details" text collate "C" not null, primary key ("id"))');
    this.addSql('create index "audit_log_org" on "audit_log" ("org_id", "id")');
  }
}
