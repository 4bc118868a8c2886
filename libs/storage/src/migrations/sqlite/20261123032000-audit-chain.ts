import { Migration } from '@mikro-orm/migrations';
import { chainAuditLog } from '../chain-audit-log.js';

/** Entries of the audit log say from where, and each has the hash of the one before it; those that are there join. */
export class AuditChain extends Migration {
  override async up(): Promise<void> {
    await this.execute('alter table `audit_log` add column `actor_name` text null');
    await this.execute('alter table `audit_log` add column `target_name` text null');
    await this.execute('alter table `audit_log` add column `project_id` text null');
    await this.execute('alter table `audit_log` add column `address` text null');
    await this.execute('alter table `audit_log` add column `request_id` text null');
    await this.execute('alter table `audit_log` add column `chain` text null');
    await this.execute('alter table `audit_log` add column `seq` bigint null');
    await this.execute('alter table `audit_log` add column `prev_hash` text null');
    await this.execute('alter table `audit_log` add column `hash` text null');
    await this.execute('create table `audit_chain` (`chain` text not null primary key, `seq` bigint not null, `hash` text not null)');
    await chainAuditLog(this);
    await this.execute('create index `audit_log_unchained` on `audit_log` (`id`) where chain is null');
    await this.execute('create unique index `audit_log_chain` on `audit_log` (`chain`, `seq`)');
  }
}
