import { Migration } from '@mikro-orm/migrations';

export class Comments extends Migration {
  override up(): void {
    this.addSql('create table `comment` (`project_id` text not null, `id` text not null, `target_type` integer not null, `target_id` text not null, `parent_id` text not null, `text` text not null, `created_by` text not null, `created_by_name` text null, `created_at` bigint not null, `edited_at` bigint null, primary key (`project_id`, `id`))');
    this.addSql('create index `comment_target` on `comment` (`project_id`, `parent_id`, `target_id`, `id`)');
  }
}
