import { Migration } from '@mikro-orm/migrations';

const COLUMNS =
  '`project_id`, `grain`, `bucket`, `model`, `provider`, `status`, `llm`, `span_count`, `tokens`, `duration_ms`, `cost_usd`, `cost_pico`, `cost_count`, `unpriced_count`';

/**
 * How long spans took, in bins (ADR 0027). What is there already is counted at the first start, with the roll-ups of minutes.
 *
 * The table lies in the order of its key from here on (`without rowid`): minutes are most of its rows, and hours and days
 * would lie scattered among them.
 */
export class AnalyticsLatencies extends Migration {
  override up(): void {
    this.addSql('create table `analytics_rollup_in_order` (`project_id` text not null, `grain` integer not null, `bucket` bigint not null, `model` text not null, `provider` text not null, `status` integer not null, `llm` integer not null, `span_count` bigint not null, `tokens` double not null, `duration_ms` double not null, `cost_usd` bigint not null, `cost_pico` bigint not null, `cost_count` bigint not null, `unpriced_count` bigint not null default \'0\', `latencies` text not null default \'\', primary key (`project_id`, `grain`, `bucket`, `model`, `provider`, `status`, `llm`)) without rowid');
    this.addSql(`insert into \`analytics_rollup_in_order\` (${COLUMNS}) select ${COLUMNS} from \`analytics_rollup\``);
    this.addSql('drop table `analytics_rollup`');
    this.addSql('alter table `analytics_rollup_in_order` rename to `analytics_rollup`');
  }
}
