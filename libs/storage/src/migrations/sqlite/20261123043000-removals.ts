import { Migration } from '@mikro-orm/migrations';

export class Removals extends Migration {
  override up(): void {
    this.addSql('alter table `organization` add `deleting_at` bigint null');
    this.addSql('alter table `project` add `deleting_at` bigint null');
    this.addSql('create table `removal` (`id` text not null primary key, `kind` text not null, `org_id` text not null, `name` text not null, `requested_at` bigint not null, `requested_by` text not null, `step` text null, `rows_deleted` bigint not null, `counts` text not null, `lease_owner` text null, `lease_until` bigint not null, `finished_at` bigint null, `progressed_at` bigint not null, `failures` integer not null, `last_error` text null)');
    this.addSql('create index `removal_org` on `removal` (`org_id`)');
  }
}
