import { Migration } from '@mikro-orm/migrations';

export class ProjectSettings extends Migration {
  override up(): void {
    this.addSql('alter table "organization" add "retention_days" int null');
    this.addSql('alter table "project" add "retention_days" int null');
    this.addSql('alter table "project" add "protected" smallint not null default 0');
  }
}
