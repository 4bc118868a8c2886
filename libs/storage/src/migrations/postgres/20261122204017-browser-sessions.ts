import { Migration } from '@mikro-orm/migrations';

export class BrowserSessions extends Migration {
  override up(): void {
    this.addSql('create table "browser_session" ("id" text collate "C" not null, "digest" text collate "C" not null, "org_id" text collate "C" not null, "project_id" text collate "C" not null, "key_id" text collate "C" null, "subject" text collate "C" null, "scopes" text collate "C" not null, "expires_at" bigint not null, "used_at" bigint not null, "created_at" bigint not null, primary key ("id"))');
    this.addSql('alter table "browser_session" add constraint "browser_session_digest" unique ("digest")');
  }
}
