import { Migration } from '@mikro-orm/migrations';

export class ScoreOrder extends Migration {
  override up(): void {
    this.addSql('drop index "score_name"');
    this.addSql('alter table "score" add "trace_at" bigint null, add "is_awaiting" smallint not null default 0');
    this.addSql('update score set trace_at = (select t.started_at from trace t where t.project_id = score.project_id and t.id = score.trace_id)');
    this.addSql('create index "score_trace_start" on "score" ("project_id", "name", "trace_at", "trace_id", "value", "label")');
    this.addSql('create index "score_awaiting" on "score" ("project_id", "span_id") where is_awaiting = 1');
    this.addSql('create index "score_name" on "score" ("project_id", "name", "target_at", "span_id", "value", "label")');
  }
}
