import { Migration } from '@mikro-orm/migrations';

export class ReviewTargets extends Migration {
  override up(): void {
    this.addSql('alter table "queue_item" add "trace_id" text collate "C" null, add "span_id" text collate "C" null, add "session_id" text collate "C" null, add "selected_by" text collate "C" null');
    this.addSql('create index "queue_item_trace" on "queue_item" ("project_id", "trace_id", "id") where trace_id is not null');
    this.addSql('create index "queue_item_session" on "queue_item" ("project_id", "session_id", "id") where session_id is not null');
  }
}
