import { Migration } from '@mikro-orm/migrations';

export class ReadStore extends Migration {
  override up(): void {
    this.addSql('create table `read_store_change` (`project_id` text not null, `kind` integer not null, `id` text not null, `seq` integer not null, `noted_at` bigint not null, `moved` integer not null, `after_id` text null, primary key (`project_id`, `kind`, `id`))');
    this.addSql('create index `read_store_change_noted` on `read_store_change` (`kind`, `noted_at`)');
    this.addSql('create table `read_store_state` (`id` text not null primary key, `content` text not null, `batch` bigint not null, `confirmed` bigint not null, `holder` text not null, `lease_until` bigint not null)');
  }
}
