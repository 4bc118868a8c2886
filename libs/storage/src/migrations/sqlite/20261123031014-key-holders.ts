import { Migration } from '@mikro-orm/migrations';

export class KeyHolders extends Migration {
  override up(): void {
    this.addSql('create table `key_holder` (`id` text not null primary key, `host` text not null, `key_ids` text not null, `seen_at` bigint not null)');
  }
}
