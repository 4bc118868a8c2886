import { Migration } from '@mikro-orm/migrations';

/** How samples pass, which datapoints a run takes, answers that it takes over, and runs started together. */
export class Evaluations extends Migration {
  override up(): void {
    this.addSql('alter table eval_run add column pass_mode integer not null default 0');
    this.addSql('alter table eval_run add column filter text');
    this.addSql('alter table eval_run add column cache_days integer');
    this.addSql('alter table eval_run add column reused_samples bigint not null default \'0\'');
    this.addSql('alter table eval_run add column group_id text');
    this.addSql('create index eval_run_group on eval_run (project_id, group_id, created_at, id) where group_id is not null');
  }
}
