import { Migration } from '@mikro-orm/migrations';

export class AuditTold extends Migration {
  override up(): void {
    this.addSql('create table `audit_told` (`chain` text not null primary key, `seq` bigint not null)');
  }
}
