import { Migration } from '@mikro-orm/migrations';

export class Search extends Migration {
  override up(): void {
    this.addSql('create table `search_state` (`project_id` text not null, `index_name` text not null, `embedding` text null, `after_id` text null, primary key (`project_id`))');
    this.addSql('create index `search_state_unfinished` on `search_state` (`project_id`) where after_id is not null');
    this.addSql('create table `search_task` (`project_id` text not null, `kind` integer not null, `id` text not null, `due_at` bigint not null, `claim` text null, `texted` integer not null, primary key (`project_id`, `kind`, `id`))');
    this.addSql('create index `search_task_due` on `search_task` (`due_at`)');
  }
}
