import { Migration } from '@mikro-orm/migrations';

export class EvalBaseline extends Migration {
  override up(): void {
    this.addSql('alter table "eval_run" add "baseline_run_id" text collate "C" null');
  }
}
