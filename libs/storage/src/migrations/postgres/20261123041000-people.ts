import { Migration } from '@mikro-orm/migrations';

export class People extends Migration {
  override up(): void {
    this.addSql('create table "member" ("id" text collate "C" not null, "org_id" text collate "C" not null, "project_id" text collate "C" null, "role" text collate "C" not null, "source" text collate "C" not null, "email" text collate "C" null, "person_id" text collate "C" null, "created_at" bigint not null, primary key ("id"))');
    this.addSql('create index "member_org" on "member" ("org_id", "id")');
    this.addSql('create index "member_person" on "member" ("person_id", "org_id")');
    this.addSql('create index "member_email" on "member" ("email") where person_id is null');
    this.addSql('create table "person" ("id" text collate "C" not null, "issuer" text collate "C" not null, "subject" text collate "C" not null, "email" text collate "C" null, "name" text collate "C" null, "project_id" text collate "C" null, "created_at" bigint not null, "signed_in_at" bigint not null, primary key ("id"))');
    this.addSql('alter table "person" add constraint "person_subject" unique ("issuer", "subject")');
    this.addSql('alter table "browser_session" add "person_id" text collate "C" null, add "refreshed_at" bigint null, add "refreshing_at" bigint null, add "sealed_tokens" text collate "C" null');
    this.addSql('create index "browser_session_person" on "browser_session" ("person_id") where person_id is not null');
  }
}
