import { Migration } from '@mikro-orm/migrations';

export class People extends Migration {
  override up(): void {
    this.addSql('create table `member` (`id` text not null primary key, `org_id` text not null, `project_id` text null, `role` text not null, `source` text not null, `email` text null, `person_id` text null, `created_at` bigint not null)');
    this.addSql('create index `member_org` on `member` (`org_id`, `id`)');
    this.addSql('create index `member_person` on `member` (`person_id`, `org_id`)');
    this.addSql('create index `member_email` on `member` (`email`) where person_id is null');
    this.addSql('create table `person` (`id` text not null primary key, `issuer` text not null, `subject` text not null, `email` text null, `name` text null, `project_id` text null, `created_at` bigint not null, `signed_in_at` bigint not null)');
    this.addSql('create unique index `person_subject` on `person` (`issuer`, `subject`)');
    this.addSql('alter table `browser_session` add column `person_id` text null');
    this.addSql('alter table `browser_session` add column `refreshed_at` bigint null');
    this.addSql('alter table `browser_session` add column `refreshing_at` bigint null');
    this.addSql('alter table `browser_session` add column `sealed_tokens` text null');
    this.addSql('create index `browser_session_person` on `browser_session` (`person_id`) where person_id is not null');
  }
}
