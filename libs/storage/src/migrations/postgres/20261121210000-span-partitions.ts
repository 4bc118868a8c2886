import { Migration } from '@mikro-orm/migrations';

const SPAN_COLUMNS = '"project_id" text collate "C" not null, "id" text collate "C" not null, "trace_id" text collate "C" not null, "parent_id" text collate "C" null, "name" text collate "C" not null, "status" smallint not null, "kind_type" text collate "C" not null, "model" text collate "C" null, "provider" text collate "C" null, "input_tokens" bigint null, "output_tokens" bigint null, "total_tokens" bigint null, "cost" double precision null, "started_at" bigint not null, "ended_at" bigint null, "duration_ms" bigint null, "create_hash" text collate "C" null';
const PAYLOAD_COLUMNS = '"project_id" text collate "C" not null, "span_id" text collate "C" not null, "kind" text collate "C" not null, "input" text collate "C" null, "output" text collate "C" null, "metadata" text collate "C" null, "error" text collate "C" null, "started_at" bigint not null';

const OF_SPAN = 'project_id, id, trace_id, parent_id, name, status, kind_type, model, provider, input_tokens, output_tokens, total_tokens, cost, started_at, ended_at, duration_ms, create_hash';

/** Spans and payloads in one partition a day (ADR 0013), by hand: entities know no partitions. */
export class SpanPartitions extends Migration {
  override up(): void {
    this.addSql('alter table span rename to span_before');
    this.addSql('alter table span_payload rename to span_payload_before');
    for (const index of ['trace', 'started_at', 'model', 'unfinished', 'provider', 'kind', 'name', 'name_id', 'parent', 'duration', 'tokens', 'cost']) {
      this.addSql(`drop index if exists span_${index}`);
    }
    this.addSql('alter table span_before rename constraint span_pkey to span_before_pkey');
    this.addSql('alter table span_payload_before rename constraint span_payload_pkey to span_payload_before_pkey');

    this.addSql('create table span_key ("project_id" text collate "C" not null, "id" text collate "C" not null, "trace_id" text collate "C" not null, "started_at" bigint not null)');
    this.addSql(`create table span (${SPAN_COLUMNS}) partition by range (started_at)`);
    this.addSql(`create table span_payload (${PAYLOAD_COLUMNS}) partition by range (started_at)`);
    this.addSql('create table span_default partition of span default');
    this.addSql('create table span_payload_default partition of span_payload default');
    // A partition for every day of the last hundred that has spans.
    this.addSql(`do $do$
      declare
        of_day bigint;
        parent text;
        part text;
      begin
        for of_day in select distinct started_at / 86400000 from span_before
          where started_at >= (extract(epoch from now())::bigint / 86400 - 100) * 86400000
            and started_at < (extract(epoch from now())::bigint / 86400 + 3) * 86400000
        loop
          foreach parent in array array['span', 'span_payload'] loop
            part := parent || '_p' || to_char(timestamp 'epoch' + of_day * interval '1 day', 'YYYYMMDD');
            execute format('create table %I partition of %I for values from (%s) to (%s)', part, parent, of_day * 86400000, (of_day + 1) * 86400000);
          end loop;
        end loop;
      end $do$`);
    this.addSql(`insert into span (${OF_SPAN}) select ${OF_SPAN} from span_before`);
    this.addSql('insert into span_payload (project_id, span_id, kind, input, output, metadata, error, started_at) select p.project_id, p.span_id, p.kind, p.input, p.output, p.metadata, p.error, s.started_at from span_payload_before p join span_before s on s.project_id = p.project_id and s.id = p.span_id');
    this.addSql('insert into span_key (project_id, id, trace_id, started_at) select project_id, id, trace_id, started_at from span_before');
    this.addSql('drop table span_before');
    this.addSql('drop table span_payload_before');

    this.addSql('create index "span_trace" on "span" ("project_id", "trace_id", "started_at", "id")');
    this.addSql('create index "span_started_at" on "span" ("project_id", "started_at", "id")');
    this.addSql('create index "span_model" on "span" ("project_id", "model", "started_at", "id") where model is not null');
    this.addSql('create index "span_unfinished" on "span" ("project_id", "status", "started_at", "id") where status <> 1');
    this.addSql('create index "span_provider" on "span" ("project_id", "provider", "started_at", "id") where provider is not null');
    this.addSql('create index "span_kind" on "span" ("project_id", "kind_type", "started_at", "id")');
    this.addSql('create index "span_name" on "span" ("project_id", "name", "started_at", "id")');
    this.addSql('create index "span_name_id" on "span" ("project_id", "name", "id")');
    this.addSql('create index "span_parent" on "span" ("project_id", "parent_id", "started_at", "id") where parent_id is not null');
    this.addSql('create index span_duration on span (project_id, (started_at >> 23), duration_ms, id) where duration_ms is not null');
    this.addSql('create index span_tokens on span (project_id, (started_at >> 23), total_tokens, id) where total_tokens is not null');
    this.addSql('create index span_cost on span (project_id, (started_at >> 23), cost, id) where cost is not null');
    this.addSql('create index span_key_trace on span_key (project_id, trace_id, started_at)');
    // The keys last: see the migration of 20261121175520.
    this.addSql('alter table span_key add constraint span_key_pkey primary key (project_id, id)');
    this.addSql('alter table span add constraint span_pkey primary key (project_id, id, started_at)');
    this.addSql('alter table span_payload add constraint span_payload_pkey primary key (project_id, span_id, started_at)');
  }
}
