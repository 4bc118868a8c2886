import { Migration } from '@mikro-orm/migrations';

export class ReviewTerms extends Migration {
  override up(): void {
    this.addSql('drop index "queue_item_next"');
    this.addSql(`alter table "queue_item" add "position" int not null default 0, add "assignees" text collate "C" not null default '[]', add "adjudicators" text collate "C" null, add "adjudicates" smallint not null default 0, add "gold" text collate "C" null`);
    this.addSql('create index "queue_item_next" on "queue_item" ("project_id", "dataset_id", "status", "rank", "position", "id")');
  }
}
