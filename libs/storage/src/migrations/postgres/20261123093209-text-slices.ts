import { Migration } from '@mikro-orm/migrations';

/** Filters are not compressed, so that single bytes of them are read without the rest. */
export class TextSlices extends Migration {
  override up(): void {
    this.addSql('create table "text_late" ("project_id" text collate "C" not null, "started_at" bigint not null, "span_id" text collate "C" not null, "mark" bigint not null, primary key ("project_id", "started_at", "span_id"))');
    this.addSql('create table "text_cover" ("project_id" text collate "C" not null, "started_until" bigint not null, "leased_by" text collate "C" not null, "leased_until" bigint not null, primary key ("project_id"))');
    this.addSql('create table "text_slice" ("project_id" text collate "C" not null, "started_from" bigint not null, "started_until" bigint not null, "state" smallint not null, "spans" bigint not null, "grams" bytea null, primary key ("project_id", "started_from"))');
    this.addSql('create index "text_slice_open" on "text_slice" ("project_id", "started_from") where state = 0');
    this.addSql('alter table "text_slice" alter column "grams" set storage external');
  }
}
