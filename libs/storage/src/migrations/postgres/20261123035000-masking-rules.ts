import { Migration } from '@mikro-orm/migrations';

export class MaskingRules extends Migration {
  override up(): void {
    this.addSql('create table "masking_rules" ("project_id" text collate "C" not null, "rules" text collate "C" not null, "hash_key" text collate "C" not null, "updated_at" bigint not null, primary key ("project_id"))');
  }
}
