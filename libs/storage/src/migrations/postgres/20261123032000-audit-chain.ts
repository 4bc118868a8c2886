import { Migration } from '@mikro-orm/migrations';
import { chainAuditLog } from '../chain-audit-log.js';

/** Entries of the audit log say from where, and each has the hash of the one before it; those that are there join. */
export class AuditChain extends Migration {
  override async up(): Promise<void> {
    await this.execute('alter table "audit_log" add "actor_name" text collate "C" null');
    await this.execute('alter table "audit_log" add "target_name" text collate "C" null');
    await this.execute('alter table "audit_log" add "project_id" text collate "C" null');
    await this.execute('alter table "audit_log" add "address" text collate "C" null');
    await this.execute('alter table "audit_log" add "request_id" text collate "C" null');
    await this.execute('alter table "audit_log" add "chain" text collate "C" null');
    await this.execute('alter table "audit_log" add "seq" bigint null');
    await this.execute('alter table "audit_log" add "prev_hash" text collate "C" null');
    await this.execute('alter table "audit_log" add "hash" text collate "C" null');
    await this.execute('create table "audit_chain" ("chain" text collate "C" not null, "seq" bigint not null, "hash" text collate "C" not null, primary key ("chain"))');
    await chainAuditLog(this);
    await this.execute('create index "audit_log_unchained" on "audit_log" ("id") where chain is null');
    await this.execute('alter table "audit_log" add constraint "audit_log_chain" unique ("chain", "seq")');
  }
}
