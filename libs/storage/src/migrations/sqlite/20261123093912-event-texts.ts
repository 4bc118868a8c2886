import { Migration } from '@mikro-orm/migrations';

export class EventTexts extends Migration {
  override up(): void {
    this.addSql('create table `event_text` (`project_id` text not null, `span_id` text not null, `through_seq` bigint not null, `kind` text null, `input` text null, `output` text null, `metadata` text null, `error` text null, primary key (`project_id`, `span_id`, `through_seq`))');
    this.addSql('create index `event_text_through` on `event_text` (`project_id`, `through_seq`)');
  }
}
