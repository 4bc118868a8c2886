import { Migration } from '@mikro-orm/migrations';

export class Replay extends Migration {
  override up(): void {
    this.addSql('create table `replay` (`project_id` text not null, `id` text not null, `name` text not null, `status` integer not null, `error` text null, `dataset_id` text not null, `baseline_run_id` text not null, `run_id` text not null, `request` text not null, `request_hash` text null, `plan` text not null, `counts` text not null, `lease_until` bigint not null, `created_at` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create index `replay_dataset` on `replay` (`project_id`, `dataset_id`)');
    this.addSql('create index `replay_baseline` on `replay` (`project_id`, `baseline_run_id`)');
    this.addSql('create index `replay_unfinished` on `replay` (`lease_until`) where status = 0');
  }
}
