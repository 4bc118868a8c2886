import { Migration } from '@mikro-orm/migrations';

export class Scores extends Migration {
  override up(): void {
    this.addSql('create table `queue_reviewer` (`project_id` text not null, `group_id` text not null, `reviewer` text not null, `item_id` text not null, primary key (`project_id`, `group_id`, `reviewer`))');
    this.addSql('create index `queue_reviewer_item` on `queue_reviewer` (`project_id`, `item_id`)');
    this.addSql('create table `score` (`project_id` text not null, `id` text not null, `name` text not null, `value` double null, `label` text null, `comment` text null, `source` text not null, `author` text not null, `trace_id` text null, `span_id` text null, `session_id` text null, `model` text null, `rule_id` text null, `queue_item_id` text null, `config` text null, `metadata` text not null, `revisions` text not null, `is_random` integer not null, `target_at` bigint not null, `created_at` bigint not null, `updated_at` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create index `score_created` on `score` (`project_id`, `created_at`, `id`)');
    this.addSql('create index `score_name` on `score` (`project_id`, `name`, `target_at`, `value`)');
    this.addSql('create index `score_value` on `score` (`project_id`, `name`, `value`, `span_id`, `trace_id`)');
    this.addSql('create index `score_label` on `score` (`project_id`, `name`, `label`, `span_id`, `trace_id`)');
    this.addSql('create index `score_trace` on `score` (`project_id`, `trace_id`, `created_at`, `id`) where trace_id is not null');
    this.addSql('create index `score_span` on `score` (`project_id`, `span_id`, `created_at`, `id`) where span_id is not null');
    this.addSql('create index `score_session` on `score` (`project_id`, `session_id`, `created_at`, `id`) where session_id is not null');
    this.addSql('create table `score_definition` (`project_id` text not null, `id` text not null, `name` text not null, `kind` text not null, `min` double null, `max` double null, `categories` text not null, `level` text not null, `description` text null, `created_at` bigint not null, `updated_at` bigint not null, primary key (`project_id`, `id`))');
    this.addSql('create unique index `score_definition_name` on `score_definition` (`project_id`, `name`)');
    this.addSql('create table `score_rollup` (`project_id` text not null, `name` text not null, `bucket` bigint not null, `source` text not null, `model` text not null, `label` text not null, `score_count` bigint not null, `value_count` bigint not null, `value_sum` double not null, `square_sum` double not null, `value_min` double null, `value_max` double null, primary key (`project_id`, `name`, `bucket`, `source`, `model`, `label`))');
    this.addSql('alter table `queue_item` add column `group_id` text null');
    this.addSql('alter table `queue_item` add column `review_no` integer not null default 1');
    this.addSql('alter table `queue_item` add column `reviews_required` integer not null default 1');
    this.addSql(`alter table \`queue_item\` add column \`form\` text not null default '[]'`);
    this.addSql('alter table `queue_item` add column `instructions` text null');
    this.addSql('alter table `queue_item` add column `rank` integer not null default 0');
    this.addSql('alter table `queue_item` add column `blind` integer not null default 1');
    this.addSql(`alter table \`queue_item\` add column \`scores\` text not null default '[]'`);
    this.addSql(`alter table \`queue_item\` add column \`answers\` text not null default '[]'`);
    this.addSql('alter table `queue_item` add column `comment` text null');
    this.addSql('alter table `queue_item` add column `skipped` integer not null default 0');
    this.addSql('alter table `queue_item` add column `completed_at` bigint null');
    this.addSql('create index `queue_item_next` on `queue_item` (`project_id`, `dataset_id`, `status`, `rank`, `id`)');
    this.addSql('create index `queue_item_group` on `queue_item` (`project_id`, `group_id`, `id`) where group_id is not null');
  }
}
