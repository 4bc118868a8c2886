import { Migration } from '@mikro-orm/migrations';

/** What the samples of a completed run come to, which lists and charts of runs show. */
export class RunMeasures extends Migration {
  override up(): void {
    this.addSql('alter table eval_run add column measures text collate "C"');
  }
}
