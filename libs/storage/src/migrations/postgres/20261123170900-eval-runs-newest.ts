import { Migration } from '@mikro-orm/migrations';

/** Lists of runs are by the time of their start, as an id may be the caller's own. */
export class EvalRunsNewest extends Migration {
  override up(): void {
    this.addSql('drop index "eval_run_dataset"');
    this.addSql('create index "eval_run_dataset" on "eval_run" ("project_id", "dataset_id", "created_at", "id")');
    this.addSql('create index "eval_run_newest" on "eval_run" ("project_id", "created_at", "id")');
  }
}
