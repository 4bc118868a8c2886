import { Migration } from '@mikro-orm/migrations';

export class EventTexts extends Migration {
  override up(): void {
    this.addSql('create table "event_text" ("project_id" text collate "C" not null, "span_id" text collate "C" not null, "through_seq" bigint not null, "kind" text collate "C" null, "input" text collate "C" null, "output" text collate "C" null, "metadata" text collate "C" null, "error" text collate "C" null, primary key ("project_id", "span_id", "through_seq"))');
    this.addSql('create index "event_text_through" on "event_text" ("project_id", "through_seq")');
  }
}
