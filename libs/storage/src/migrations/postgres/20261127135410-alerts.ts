import { Migration } from '@mikro-orm/migrations';

export class Alerts extends Migration {
  override up(): void {
    this.addSql('create table "alert" ("project_id" text collate "C" not null, "id" text collate "C" not null, "name" text collate "C" not null, "enabled" smallint not null, "rule" text collate "C" not null, "state" text collate "C" not null, "state_since" bigint not null, "last_value" double precision null, "groups" text collate "C" not null, "explain" text collate "C" null, "due_at" bigint null, "created_at" bigint not null, "updated_at" bigint not null, primary key ("project_id", "id"))');
    this.addSql('create index "alert_due" on "alert" ("due_at") where due_at is not null');
    this.addSql('create table "alert_change" ("project_id" text collate "C" not null, "id" text collate "C" not null, "alert_id" text collate "C" not null, "at" bigint not null, "key" text collate "C" null, "from_state" text collate "C" not null, "to_state" text collate "C" not null, "value" double precision null, primary key ("project_id", "id"))');
    this.addSql('create index "alert_change_alert" on "alert_change" ("project_id", "alert_id", "id")');
    this.addSql('create index "alert_change_at" on "alert_change" ("at")');
    this.addSql('create table "alert_channel" ("project_id" text collate "C" not null, "id" text collate "C" not null, "name" text collate "C" not null, "kind" text collate "C" not null, "host" text collate "C" null, "recipients" text collate "C" not null, "signed" smallint not null, "created_at" bigint not null, "updated_at" bigint not null, primary key ("project_id", "id"))');
    this.addSql('create table "alert_delivery" ("project_id" text collate "C" not null, "id" text collate "C" not null, "channel_id" text collate "C" not null, "alert_id" text collate "C" not null, "message" text collate "C" not null, "status" text collate "C" not null, "attempts" int not null, "status_code" int null, "last_error" text collate "C" null, "due_at" bigint null, "delivered_at" bigint null, "created_at" bigint not null, primary key ("project_id", "id"))');
    this.addSql('create index "alert_delivery_due" on "alert_delivery" ("due_at") where due_at is not null');
    this.addSql('create index "alert_delivery_channel" on "alert_delivery" ("project_id", "channel_id", "id")');
    this.addSql('create index "alert_delivery_created" on "alert_delivery" ("created_at")');
    this.addSql('create table "sealed_text" ("project_id" text collate "C" not null, "id" text collate "C" not null, "key_id" text collate "C" not null, "sealed_key" text collate "C" not null, primary key ("project_id", "id"))');
  }
}
