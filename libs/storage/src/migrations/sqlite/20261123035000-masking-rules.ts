import { Migration } from '@mikro-orm/migrations';

export class MaskingRules extends Migration {
  override up(): void {
    this.addSql('create table `masking_rules` (`project_id` text not null primary key, `rules` text not null, `hash_key` text not null, `updated_at` bigint not null)');
  }
}
