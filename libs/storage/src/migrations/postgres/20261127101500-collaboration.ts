import { Migration } from '@mikro-orm/migrations';

/** Saved views and boards, and links that open a trace. */
export class Collaboration extends Migration {
  override up(): void {
    this.addSql(`create table saved_item (
      project_id text collate "C" not null,
      kind text collate "C" not null,
      id text collate "C" not null,
      name text collate "C" not null,
      page text collate "C" not null,
      content text collate "C" not null,
      owner text collate "C",
      hidden smallint not null,
      created_by text collate "C" not null,
      created_by_name text collate "C",
      created_at bigint not null,
      updated_at bigint not null,
      primary key (project_id, kind, id)
    )`);
    this.addSql(`create table trace_share (
      project_id text collate "C" not null,
      id text collate "C" not null,
      trace_id text collate "C" not null,
      digest text collate "C" not null,
      created_by text collate "C" not null,
      created_by_name text collate "C",
      created_at bigint not null,
      expires_at bigint not null,
      opened_at bigint,
      primary key (project_id, id)
    )`);
    this.addSql('create index trace_share_trace on trace_share (project_id, trace_id)');
    this.addSql('create unique index trace_share_digest on trace_share (digest)');
  }
}
