import { Migration } from '@mikro-orm/migrations';

export class Alerts extends Migration {
  override up(): void {
    this.addSql('create table `alert` (`project_id` text not null, `id` text not null, `name` text not null, `enabled` integer not null, `rule` text not null, `state` text not null, `state_since` bigint not null, `last_value` double null, `groups` text not null, `explain` text null, `due_at` bigint null, `created_at` bigint not null, `updated_at` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create index `alert_due` on `alert` (`due_at`) where due_at is not null');
    this.addSql('create table `alert_change` (`project_id` text not null, `id` text not null, `alert_id` text not null, `at` bigint not null, `key` text null, `from_state` text not null, `to_state` text not null, `value` double null, primary key (`project_id`, `id`))');
    this.addSql('create index `alert_change_alert` on `alert_change` (`project_id`, `alert_id`, `id`)');
    this.addSql('create index `alert_change_at` on `alert_change` (`at`)');
    this.addSql('create table `alert_channel` (`project_id` text not null, `id` text not null, `name` text not null, `kind` text not null, `host` text null, `recipients` text not null, `signed` integer not null, `created_at` bigint not null, `updated_at` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create table `alert_delivery` (`project_id` text not null, `id` text not null, `channel_id` text not null, `alert_id` text not null, `message` text not null, `status` text not null, `attempts` integer not null, `status_code` integer null, `last_error` text null, `due_at` bigint null, `delivered_at` bigint null, `created_at` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create index `alert_delivery_due` on `alert_delivery` (`due_at`) where due_at is not null');
    this.addSql('create index `alert_delivery_channel` on `alert_delivery` (`project_id`, `channel_id`, `id`)');
    this.addSql('create index `alert_delivery_created` on `alert_delivery` (`created_at`)');
    this.addSql('create table `sealed_text` (`project_id` text not null, `id` text not null, `key_id` text not null, `sealed_key` text not null, primary key (`project_id`, `id`))');
  }
}
