import { Migration } from '@mikro-orm/migrations';

export class KeyHolders extends Migration {
  override up(): void {
    this.addSql('create table "key_holder" ("id" text collate "C" not null, "host" text collate "C" not null, "key_ids" text collate "C" not null, "seen_at" bigint not null, primary key ("id"))');
  }
}
