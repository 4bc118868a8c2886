import { Migration } from '@mikro-orm/migrations';

export class ScoreVerdicts extends Migration {
  override up(): void {
    this.addSql('drop index `score_label`');
    this.addSql('drop index `score_value`');
    this.addSql('create index `score_label` on `score` (`project_id`, `name`, `label`, `span_id`, `trace_id`, `target_at`, `trace_at`)');
    this.addSql('create index `score_value` on `score` (`project_id`, `name`, `value`, `span_id`, `trace_id`, `target_at`, `trace_at`)');
  }
}
