import { Migration } from '@mikro-orm/migrations';

export class ColdTexts extends Migration {
  override up(): void {
    this.addSql('create table `read_store_day` (`project_id` text not null, `day` integer not null, `state` integer not null, `is_cold` integer not null, primary key (`project_id`, `day`))');
    this.addSql('alter table `span_payload` add column `cold_digest` bigint null');
    this.addSql('alter table `span_payload` add column `input_bytes` bigint null');
    this.addSql('alter table `span_payload` add column `output_bytes` bigint null');
  }
}
