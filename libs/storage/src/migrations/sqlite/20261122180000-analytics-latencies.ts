import { Migration } from '@mikro-orm/migrations';

/** How long spans took, in bins (ADR 0027). What is there already is counted at the first start, with the roll-ups of minutes. */
export class AnalyticsLatencies extends Migration {
  override up(): void {
    this.addSql(`alter table \`analytics_rollup\` add column \`latencies\` text not null default ''`);
  }
}
