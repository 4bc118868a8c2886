import { Migration } from '@mikro-orm/migrations';

export class StalledRules extends Migration {
  override up(): void {
    this.addSql('create table `default_alert` (`project_id` text not null, `measure` text not null, primary key (`project_id`, `measure`))');
    this.addSql('alter table `scoring_rule` add column `scored_at` bigint null');
  }
}
