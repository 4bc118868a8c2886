import { Migration } from '@mikro-orm/migrations';

export class TracesOfItems extends Migration {
  override up(): void {
    this.addSql('alter table `eval_result` add column `trace_id` text null');
  }
}
