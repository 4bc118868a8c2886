import { Migration } from '@mikro-orm/migrations';

export class ReviewTerms extends Migration {
  override up(): void {
    this.addSql('drop index `queue_item_next`');
    this.addSql('alter table `queue_item` add column `position` integer not null default 0');
    this.addSql(`alter table \`queue_item\` add column \`assignees\` text not null default '[]'`);
    this.addSql('alter table `queue_item` add column `adjudicators` text null');
    this.addSql('alter table `queue_item` add column `adjudicates` integer not null default 0');
    this.addSql('alter table `queue_item` add column `gold` text null');
    this.addSql('create index `queue_item_next` on `queue_item` (`project_id`, `dataset_id`, `status`, `rank`, `position`, `id`)');
  }
}
