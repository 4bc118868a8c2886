import { Migration } from '@mikro-orm/migrations';

export class ColdTexts extends Migration {
  override up(): void {
    this.addSql('create table "read_store_day" ("project_id" text collate "C" not null, "day" int not null, "state" smallint not null, "is_cold" smallint not null, primary key ("project_id", "day"))');
    // Columns without a default: no row is written.
    this.addSql(
      'alter table "span_payload" add "cold_digest" bigint null, add "input_bytes" bigint null, add "output_bytes" bigint null',
    );
  }
}
