import { Migration } from '@mikro-orm/migrations';

/** Keys of hashes were in the clear: they are dropped, and servers make sealed ones when they first need them. */
export class MaskingKeys extends Migration {
  override up(): void {
    this.addSql('alter table "masking_rules" drop column "hash_key"');
    this.addSql('alter table "masking_rules" add column "key_id" text collate "C" not null default \'\'');
    this.addSql('alter table "masking_rules" add column "sealed_key" text collate "C" not null default \'\'');
  }
}
