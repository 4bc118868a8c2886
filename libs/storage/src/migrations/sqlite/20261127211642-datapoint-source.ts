import { Migration } from '@mikro-orm/migrations';

export class DatapointSource extends Migration {
  override up(): void {
    this.addSql('create index `datapoint_source` on `datapoint` (`project_id`, `source_span_id`) where source_span_id is not null');
  }
}
