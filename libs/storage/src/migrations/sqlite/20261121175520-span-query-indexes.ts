import { Migration } from '@mikro-orm/migrations';

export class SpanQueryIndexes extends Migration {
  override up(): void {
    this.addSql('create index `span_provider` on `span` (`project_id`, `provider`, `started_at`, `id`) where provider is not null');
    this.addSql('create index `span_kind` on `span` (`project_id`, `kind_type`, `started_at`, `id`)');
    this.addSql('create index `span_name` on `span` (`project_id`, `name`, `started_at`, `id`)');
    this.addSql('create index `span_name_id` on `span` (`project_id`, `name`, `id`)');
    this.addSql('create index `span_parent` on `span` (`project_id`, `parent_id`, `started_at`, `id`) where parent_id is not null');
    this.addSql('create index span_duration on span (project_id, (started_at >> 23), duration_ms, id) where duration_ms is not null');
    this.addSql('create index span_tokens on span (project_id, (started_at >> 23), total_tokens, id) where total_tokens is not null');
    this.addSql('create index span_cost on span (project_id, (started_at >> 23), cost, id) where cost is not null');
  }
}
