import { Migration } from '@mikro-orm/migrations';

/** When the caller of an external run said that no more results come. */
export class EvalClosed extends Migration {
  override up(): void {
    this.addSql('alter table "eval_run" add "closed_at" bigint null');
  }
}
