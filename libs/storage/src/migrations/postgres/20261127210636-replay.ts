import { Migration } from '@mikro-orm/migrations';

export class Replay extends Migration {
  override up(): void {
    this.addSql('create table "replay" ("project_id" text collate "C" not null, "id" text collate "C" not null, "name" text collate "C" not null, "status" smallint not null, "error" text collate "C" null, "dataset_id" text collate "C" not null, "baseline_run_id" text collate "C" not null, "run_id" text collate "C" not null, "request" text collate "C" not null, "request_hash" text collate "C" null, "plan" text collate "C" not null, "counts" text collate "C" not null, "lease_until" bigint not null, "created_at" bigint not null, primary key ("project_id", "id"))');
    this.addSql('create index "replay_dataset" on "replay" ("project_id", "dataset_id")');
    this.addSql('create index "replay_baseline" on "replay" ("project_id", "baseline_run_id")');
    this.addSql('create index "replay_unfinished" on "replay" ("lease_until") where status = 0');
  }
}
