import { Migration } from '@mikro-orm/migrations';

export class TracesOfItems extends Migration {
  override up(): void {
    this.addSql('alter table "eval_result" add "trace_id" text collate "C" null');
  }
}
