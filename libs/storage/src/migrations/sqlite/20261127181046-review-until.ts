import { Migration } from '@mikro-orm/migrations';

export class ReviewUntil extends Migration {
  override up(): void {
    this.addSql('alter table `queue_item` add column `ci_width` double null');
  }
}
