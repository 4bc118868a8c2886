import { Migration } from '@mikro-orm/migrations';

export class TextSlices extends Migration {
  override up(): void {
    this.addSql('create table `text_late` (`project_id` text not null, `started_at` bigint not null, `span_id` text not null, `mark` bigint not null, primary key (`project_id`, `started_at`, `span_id`)) without rowid');
    this.addSql('create table `text_cover` (`project_id` text not null primary key, `started_until` bigint not null, `leased_by` text not null, `leased_until` bigint not null)');
    this.addSql('create table `text_slice` (`project_id` text not null, `started_from` bigint not null, `started_until` bigint not null, `state` integer not null, `spans` bigint not null, `grams` blob null, primary key (`project_id`, `started_from`))');
    this.addSql('create index `text_slice_open` on `text_slice` (`project_id`, `started_from`) where state = 0');
  }
}
