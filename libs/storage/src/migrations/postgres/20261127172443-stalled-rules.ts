import { Migration } from '@mikro-orm/migrations';

export class StalledRules extends Migration {
  override up(): void {
    this.addSql('create table "default_alert" ("project_id" text collate "C" not null, "measure" text collate "C" not null, primary key ("project_id", "measure"))');
    this.addSql('alter table "scoring_rule" add "scored_at" bigint null');
  }
}
