import { Migration } from '@mikro-orm/migrations';

export class UserCosts extends Migration {
  override up(): void {
    this.addSql('drop index `trace_user`');
    this.addSql('create index `trace_user` on `trace` (`project_id`, `user_id`, `started_at`, `id`, `cost_usd`, `cost_pico`, `cost_count`, `call_count`, `total_tokens`, `error_count`) where user_id is not null');
  }
}
