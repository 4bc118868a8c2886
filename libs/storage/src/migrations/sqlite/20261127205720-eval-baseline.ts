import { Migration } from '@mikro-orm/migrations';

export class EvalBaseline extends Migration {
  override up(): void {
    this.addSql('alter table `eval_run` add column `baseline_run_id` text null');
  }
}
