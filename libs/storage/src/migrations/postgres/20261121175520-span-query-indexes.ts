import { Migration } from '@mikro-orm/migrations';

export class SpanQueryIndexes extends Migration {
  override up(): void {
    this.addSql('create index "span_provider" on "span" ("project_id", "provider", "started_at", "id") where provider is not null');
    this.addSql('create index "span_kind" on "span" ("project_id", "kind_type", "started_at", "id")');
    this.addSql('create index "span_name" on "span" ("project_id", "name", "started_at", "id")');
    this.addSql('create index "span_name_id" on "span" ("project_id", "name", "id")');
    this.addSql('create index "span_parent" on "span" ("project_id", "parent_id", "started_at", "id") where parent_id is not null');
    this.addSql('create index span_duration on span (project_id, (started_at >> 23), duration_ms, id) where duration_ms is not null');
    this.addSql('create index span_tokens on span (project_id, (started_at >> 23), total_tokens, id) where total_tokens is not null');
    this.addSql('create index span_cost on span (project_id, (started_at >> 23), cost, id) where cost is not null');
    // While a table has no statistics yet, Postgres takes the newest of the indexes that seem equal to it, and those on the
    // project look no worse than the primary key: made again, the key is the newest.
    for (const table of ['span', 'trace']) {
      this.addSql(
        `alter table ${table} drop constraint ${table}_pkey, add constraint ${table}_pkey primary key (project_id, id)`,
      );
    }
  }
}
