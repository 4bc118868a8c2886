import { Migration } from '@mikro-orm/migrations';

export class BrowserSessions extends Migration {
  override up(): void {
    this.addSql('create table `browser_session` (`id` text not null primary key, `digest` text not null, `org_id` text not null, `project_id` text not null, `key_id` text null, `subject` text null, `scopes` text not null, `expires_at` bigint not null, `used_at` bigint not null, `created_at` bigint not null)');
    this.addSql('create unique index `browser_session_digest` on `browser_session` (`digest`)');
  }
}
