import { Migration } from '@mikro-orm/migrations';

/** Who made each key that is there is in the audit log; keys of people end with them from now on, and so do keys that those keys made. */
export class KeysOfPeople extends Migration {
  override up(): void {
    this.addSql('alter table `api_key` add column `maker` text null');
    this.addSql('alter table `api_key` add column `maker_name` text null');
    this.addSql('alter table `api_key` add column `maker_person_id` text null');
    this.addSql('alter table `api_key` add column `suspended_at` bigint null');
    this.addSql('alter table `api_key` add column `used_at` bigint null');
    this.addSql('alter table `api_key` add column `rate_limit` integer null');
    this.addSql('alter table `api_key` add column `session_id` text null');
    this.addSql('alter table `api_key` add column `token_key` text null');
    this.addSql('create index `api_key_maker` on `api_key` (`maker_person_id`) where maker_person_id is not null');
    this.addSql('create index `api_key_session` on `api_key` (`session_id`) where session_id is not null');
    this.addSql('alter table `person` add column `refused_at` bigint null');
    this.addSql('alter table `project` add column `rate_limit` integer null');
    this.addSql(`update api_key set maker = a.actor, maker_name = a.actor_name,
        maker_person_id = case when a.actor like 'person:%' then substr(a.actor, 8) end
      from audit_log a where a.action = 'key.created' and a.target_id = api_key.id`);
    this.addSql(`with recursive behind (id, person_id) as (
        select k.id, k.maker_person_id from api_key k where k.maker_person_id is not null
        union select k.id, b.person_id from api_key k join behind b on k.maker = 'key:' || b.id
      )
      update api_key set maker_person_id = b.person_id from behind b where b.id = api_key.id`);
  }
}
