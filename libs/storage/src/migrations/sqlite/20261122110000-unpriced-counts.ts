import { Migration } from '@mikro-orm/migrations';
import { COUNT_UNPRICED } from '../count-unpriced.js';

/** Spans and items with tokens and without a cost, counted beside every sum of costs; what is there already is counted. */
export class UnpricedCounts extends Migration {
  override up(): void {
    this.addSql('alter table `trace` add column `unpriced_count` integer not null default 0');
    this.addSql('alter table `analytics_rollup` add column `unpriced_count` bigint not null default \'0\'');
    this.addSql('alter table `eval_run` add column `unpriced_count` bigint not null default \'0\'');
    this.addSql('alter table `eval_run` add column `judge_unpriced_count` bigint not null default \'0\'');
    for (const statement of COUNT_UNPRICED) this.addSql(statement);
  }
}
