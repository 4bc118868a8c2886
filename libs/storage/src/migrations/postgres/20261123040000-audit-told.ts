import { Migration } from '@mikro-orm/migrations';

export class AuditTold extends Migration {
  override up(): void {
    this.addSql('create table "audit_told" ("chain" text collate "C" not null, "seq" bigint not null, primary key ("chain"))');
  }
}
