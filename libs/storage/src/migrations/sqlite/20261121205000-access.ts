import { Migration } from '@mikro-orm/migrations';

export class Access extends Migration {
  override up(): void {
    this.addSql('create table `organization` (`id` text not null primary key, `name` text not null, `plan` text not null, `rate_limit` integer null, `created_at` bigint not null)');
    this.addSql('create table `project` (`id` text not null primary key, `org_id` text not null, `name` text not null, `created_at` bigint not null)');
    this.addSql('create index `project_org` on `project` (`org_id`, `id`)');
    this.addSql('create table `api_key` (`id` text not null primary key, `org_id` text not null, `project_id` text not null, `name` text not null, `prefix` text not null, `digest` text not null, `scopes` text not null, `expires_at` bigint null, `created_at` bigint not null)');
    this.addSql('create index `api_key_org` on `api_key` (`org_id`, `id`)');
    this.addSql('create unique index `api_key_digest` on `api_key` (`digest`)');
    this.addSql('create table `audit_log` (`id` text not null primary key, `at` bigint not null, `org_id` text null, `actor` text not null, `action` text not null, `target_id` text not null, `details` text not null)');
    this.addSql('create index `audit_log_org` on `audit_log` (`org_id`, `id`)');
  }
}
