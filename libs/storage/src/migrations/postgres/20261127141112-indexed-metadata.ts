import { Migration } from '@mikro-orm/migrations';

export class IndexedMetadata extends Migration {
  override up(): void {
    this.addSql('alter table "span" add "metadata1" text collate "C" null, add "metadata2" text collate "C" null, add "metadata3" text collate "C" null, add "metadata4" text collate "C" null, add "metadata5" text collate "C" null');
    this.addSql('create index "span_metadata1" on "span" ("project_id", "metadata1", "started_at", "id") where metadata1 is not null');
    this.addSql('create index "span_metadata2" on "span" ("project_id", "metadata2", "started_at", "id") where metadata2 is not null');
    this.addSql('create index "span_metadata3" on "span" ("project_id", "metadata3", "started_at", "id") where metadata3 is not null');
    this.addSql('create index "span_metadata4" on "span" ("project_id", "metadata4", "started_at", "id") where metadata4 is not null');
    this.addSql('create index "span_metadata5" on "span" ("project_id", "metadata5", "started_at", "id") where metadata5 is not null');
    this.addSql('create table "metadata_key" ("key" text collate "C" not null, "place" smallint not null, "complete" smallint not null, primary key ("key"))');
    this.addSql('alter table "trace" add "metadata1" text collate "C" null, add "metadata2" text collate "C" null, add "metadata3" text collate "C" null, add "metadata4" text collate "C" null, add "metadata5" text collate "C" null');
    this.addSql('create index "trace_metadata1" on "trace" ("project_id", "metadata1", "started_at", "id") where metadata1 is not null');
    this.addSql('create index "trace_metadata2" on "trace" ("project_id", "metadata2", "started_at", "id") where metadata2 is not null');
    this.addSql('create index "trace_metadata3" on "trace" ("project_id", "metadata3", "started_at", "id") where metadata3 is not null');
    this.addSql('create index "trace_metadata4" on "trace" ("project_id", "metadata4", "started_at", "id") where metadata4 is not null');
    this.addSql('create index "trace_metadata5" on "trace" ("project_id", "metadata5", "started_at", "id") where metadata5 is not null');
  }
}
