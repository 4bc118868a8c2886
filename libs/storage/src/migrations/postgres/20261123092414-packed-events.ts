import { Migration } from '@mikro-orm/migrations';

/** Events are packed by the service: Postgres is not to try it again. */
export class PackedEvents extends Migration {
  override up(): void {
    this.addSql('alter table "event_log" add "packed" bytea null, add "sent_length" bigint null');
    this.addSql('alter table "event_log" alter column "packed" set storage external');
  }
}
