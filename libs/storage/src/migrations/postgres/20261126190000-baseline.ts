import { Migration } from '@mikro-orm/migrations';

/**
 * All tables of version 0.1.0, the first one (docs/adr/0060-one-baseline-migration.md). Text compares bytewise, as on SQLite; what the
 * service has compressed itself is stored as it is (`storage external`). Spans and payloads are in one partition a day
 * (docs/adr/0013-partitions.md).
 *
 * While a table has no statistics yet, Postgres takes the newest of the indexes that seem equal to it, and those that begin with
 * the project look no worse than the primary key. So the keys of `span`, `span_key` and `trace` are made last.
 */
export class Baseline extends Migration {
  override up(): void {
    // Traces and spans.
    this.addSql(`create table span (
      project_id text collate "C" not null,
      id text collate "C" not null,
      trace_id text collate "C" not null,
      parent_id text collate "C",
      name text collate "C" not null,
      status smallint not null,
      kind_type text collate "C" not null,
      model text collate "C",
      provider text collate "C",
      input_tokens bigint,
      output_tokens bigint,
      total_tokens bigint,
      cost double precision,
      started_at bigint not null,
      ended_at bigint,
      duration_ms bigint,
      create_hash text collate "C",
      cover smallint
    ) partition by range (started_at)`);
    this.addSql('create table span_default partition of span default');
    this.addSql('create index span_trace on span (project_id, trace_id, started_at, id)');
    this.addSql('create index span_started_at on span (project_id, started_at, id)');
    this.addSql('create index span_model on span (project_id, model, started_at, id) where model is not null');
    this.addSql('create index span_unfinished on span (project_id, status, started_at, id) where status <> 1');
    this.addSql('create index span_provider on span (project_id, provider, started_at, id) where provider is not null');
    this.addSql('create index span_kind on span (project_id, kind_type, started_at, id)');
    this.addSql('create index span_name on span (project_id, name, started_at, id)');
    this.addSql('create index span_name_id on span (project_id, name, id)');
    this.addSql('create index span_parent on span (project_id, parent_id, started_at, id) where parent_id is not null');
    this.addSql('create index span_duration on span (project_id, (started_at >> 23), duration_ms, id) where duration_ms is not null');
    this.addSql('create index span_tokens on span (project_id, (started_at >> 23), total_tokens, id) where total_tokens is not null');
    this.addSql('create index span_cost on span (project_id, (started_at >> 23), cost, id) where cost is not null');
    this.addSql('alter table span add constraint span_pkey primary key (project_id, id, started_at)');

    this.addSql(`create table span_payload (
      project_id text collate "C" not null,
      span_id text collate "C" not null,
      kind text collate "C" not null,
      input text collate "C",
      output text collate "C",
      metadata text collate "C",
      error text collate "C",
      started_at bigint not null,
      primary key (project_id, span_id, started_at)
    ) partition by range (started_at)`);
    this.addSql('create table span_payload_default partition of span_payload default');

    this.addSql(`create table span_key (
      project_id text collate "C" not null,
      id text collate "C" not null,
      trace_id text collate "C" not null,
      started_at bigint not null
    )`);
    this.addSql('create index span_key_trace on span_key (project_id, trace_id, started_at)');
    this.addSql('alter table span_key add constraint span_key_pkey primary key (project_id, id)');

    this.addSql(`create table trace (
      project_id text collate "C" not null,
      id text collate "C" not null,
      name text collate "C",
      session_id text collate "C",
      user_id text collate "C",
      tags text collate "C" not null,
      metadata text collate "C" not null,
      started_at bigint not null,
      create_hash text collate "C",
      status smallint not null,
      span_count int not null,
      running_count int not null,
      error_count int not null,
      total_tokens bigint not null,
      cost_usd bigint not null,
      cost_pico bigint not null,
      cost_count int not null,
      models text collate "C" not null,
      last_ended_at bigint,
      unpriced_count int not null default 0,
      origins text collate "C"
    )`);
    this.addSql('create index trace_started_at on trace (project_id, started_at, id)');
    this.addSql('create index trace_session on trace (project_id, session_id, started_at, id) where session_id is not null');
    this.addSql('create index trace_user on trace (project_id, user_id, started_at, id) where user_id is not null');
    this.addSql('create index trace_unfinished on trace (project_id, status, started_at, id) where status <> 1');
    this.addSql('alter table trace add constraint trace_pkey primary key (project_id, id)');

    this.addSql(`create table trace_tag (
      project_id text collate "C" not null,
      tag text collate "C" not null,
      started_at bigint not null,
      trace_id text collate "C" not null,
      primary key (project_id, tag, started_at, trace_id)
    )`);

    this.addSql(`create table usage_mark (
      project_id text collate "C" not null,
      trace_id text collate "C" not null,
      span_id text collate "C" not null,
      primary key (project_id, trace_id, span_id)
    )`);

    this.addSql(`create table otlp_event (
      project_id text collate "C" not null,
      trace_id text collate "C" not null,
      span_id text collate "C" not null,
      id text collate "C" not null,
      time text collate "C" not null,
      event text collate "C" not null,
      came_at bigint not null,
      position int not null,
      merged smallint not null,
      primary key (project_id, trace_id, span_id, id)
    )`);
    this.addSql('create index otlp_event_came_at on otlp_event (came_at)');

    // Text search.
    this.addSql(`create table text_pending (
      project_id text collate "C" not null,
      started_at bigint not null,
      span_id text collate "C" not null,
      mark bigint not null,
      primary key (project_id, started_at, span_id)
    )`);

    this.addSql(`create table text_watermark (
      project_id text collate "C" not null primary key,
      started_until bigint not null,
      leased_by text collate "C" not null,
      leased_until bigint not null
    )`);

    this.addSql(`create table text_slice (
      project_id text collate "C" not null,
      started_from bigint not null,
      started_until bigint not null,
      state smallint not null,
      spans bigint not null,
      grams bytea,
      primary key (project_id, started_from)
    )`);
    this.addSql('alter table text_slice alter column grams set storage external');
    this.addSql('create index text_slice_open on text_slice (project_id, started_from) where state = 0');

    // Events.
    this.addSql(`create table event_counter (
      project_id text collate "C" not null primary key,
      last_seq bigint not null
    )`);

    this.addSql(`create table event_log (
      project_id text collate "C" not null,
      last_seq bigint not null,
      first_seq bigint not null,
      lines text collate "C" not null,
      created_at bigint not null,
      packed bytea,
      sent_length bigint,
      primary key (project_id, last_seq)
    )`);
    this.addSql('alter table event_log alter column packed set storage external');


    // Analytics.
    this.addSql(`create table analytics_total (
      project_id text collate "C" not null primary key,
      trace_count bigint not null
    )`);

    this.addSql(`create table analytics_rollup (
      project_id text collate "C" not null,
      grain smallint not null,
      bucket bigint not null,
      model text collate "C" not null,
      provider text collate "C" not null,
      status smallint not null,
      llm smallint not null,
      span_count bigint not null,
      tokens double precision not null,
      duration_ms double precision not null,
      cost_usd bigint not null,
      cost_pico bigint not null,
      cost_count bigint not null,
      unpriced_count bigint not null default '0',
      latencies text collate "C" not null default '',
      primary key (project_id, grain, bucket, model, provider, status, llm)
    )`);

    // Datasets, capture rules and the review queue.
    this.addSql(`create table dataset (
      project_id text collate "C" not null,
      id text collate "C" not null,
      name text collate "C" not null,
      description text collate "C",
      datapoint_count bigint not null,
      version bigint not null,
      pinned_version bigint not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (project_id, id)
    )`);

    this.addSql(`create table datapoint (
      project_id text collate "C" not null,
      dataset_id text collate "C" not null,
      id text collate "C" not null,
      from_version bigint not null,
      to_version bigint,
      import_id text collate "C",
      source smallint not null,
      source_span_id text collate "C",
      kind text collate "C" not null,
      result_output text collate "C",
      result_score double precision,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (project_id, dataset_id, id, from_version)
    )`);
    this.addSql('create index datapoint_closed on datapoint (project_id, dataset_id) where to_version is not null');

    this.addSql(`create table dataset_import (
      project_id text collate "C" not null,
      id text collate "C" not null,
      dataset_id text collate "C" not null,
      published_version bigint,
      unfinished smallint not null,
      announced_through text collate "C",
      lease_until bigint not null,
      primary key (project_id, id)
    )`);
    this.addSql('create index dataset_import_dataset on dataset_import (project_id, dataset_id)');
    this.addSql('create index dataset_import_unfinished on dataset_import (lease_until) where unfinished = 1');

    this.addSql(`create table capture (
      project_id text collate "C" not null,
      rule_id text collate "C" not null,
      span_id text collate "C" not null,
      datapoint_id text collate "C" not null,
      primary key (project_id, rule_id, span_id)
    )`);

    this.addSql(`create table capture_rule (
      project_id text collate "C" not null,
      id text collate "C" not null,
      dataset_id text collate "C" not null,
      name text collate "C" not null,
      enabled smallint not null,
      filters text collate "C" not null,
      sample_rate double precision not null,
      captured_count bigint not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (project_id, id)
    )`);
    this.addSql('create index capture_rule_dataset on capture_rule (project_id, dataset_id, id)');

    this.addSql(`create table capture_task (
      project_id text collate "C" not null,
      rule_id text collate "C" not null,
      span_id text collate "C" not null,
      failures smallint not null,
      due_at bigint not null,
      primary key (project_id, rule_id, span_id)
    )`);
    this.addSql('create index capture_task_due on capture_task (due_at)');

    this.addSql(`create table queue_item (
      project_id text collate "C" not null,
      id text collate "C" not null,
      dataset_id text collate "C" not null,
      datapoint_id text collate "C" not null,
      status smallint not null,
      claimed_by text collate "C",
      claimed_at bigint,
      original_data text collate "C" not null,
      edited_data text collate "C",
      created_at bigint not null,
      claimed_by_name text collate "C",
      primary key (project_id, id)
    )`);
    this.addSql('create index queue_item_dataset on queue_item (project_id, dataset_id, id)');
    this.addSql('create index queue_item_dataset_status on queue_item (project_id, dataset_id, status, id)');
    this.addSql('create index queue_item_status on queue_item (project_id, status, id)');
    this.addSql('create index queue_item_reviewer on queue_item (project_id, claimed_by, id) where claimed_by is not null');
    this.addSql('create index queue_item_datapoint on queue_item (project_id, dataset_id, datapoint_id, status)');
    this.addSql('create index queue_item_claimed on queue_item (claimed_at) where status = 1');

    // Evaluations.
    this.addSql(`create table eval_run (
      project_id text collate "C" not null,
      id text collate "C" not null,
      dataset_id text collate "C" not null,
      dataset_version bigint not null,
      name text collate "C" not null,
      status smallint not null,
      config text collate "C" not null,
      scoring text collate "C" not null,
      scoring_config text collate "C",
      connection_id text collate "C" not null,
      judge_connection_id text collate "C",
      total bigint not null,
      progress bigint not null,
      failed_count bigint not null,
      score_sum double precision not null,
      score_count bigint not null,
      total_tokens bigint not null,
      cost_usd bigint not null,
      cost_pico bigint not null,
      cost_count bigint not null,
      judge_tokens bigint not null,
      judge_cost_usd bigint not null,
      judge_cost_pico bigint not null,
      judge_cost_count bigint not null,
      error text collate "C",
      created_at bigint not null,
      started_at bigint,
      ended_at bigint,
      running text collate "C" not null,
      lease_owner text collate "C",
      lease_until bigint not null,
      unpriced_count bigint not null default '0',
      judge_unpriced_count bigint not null default '0',
      scorers text collate "C",
      execution smallint not null default 0,
      repeats int not null default 1,
      pass_score double precision not null default 1,
      cost_cap double precision,
      gates text collate "C",
      metadata text collate "C",
      start_hash text collate "C",
      sample_progress bigint not null default '0',
      failed_samples bigint not null default '0',
      dearest_usd bigint,
      dearest_pico bigint,
      score_se double precision,
      score_ci text collate "C",
      passed smallint,
      stop_reason smallint,
      unscored bigint not null default '0',
      result_at bigint,
      closed_at bigint,
      primary key (project_id, id)
    )`);
    this.addSql('create index eval_run_unfinished on eval_run (status, lease_until) where status < 2');
    this.addSql('create index eval_run_dataset on eval_run (project_id, dataset_id, created_at, id)');
    this.addSql('create index eval_run_newest on eval_run (project_id, created_at, id)');

    this.addSql(`create table eval_run_metadata (
      project_id text collate "C" not null,
      run_id text collate "C" not null,
      key text collate "C" not null,
      value text collate "C" not null,
      primary key (project_id, run_id, key)
    )`);
    this.addSql('create index eval_run_metadata_key on eval_run_metadata (project_id, key, run_id)');

    this.addSql(`create table eval_result (
      project_id text collate "C" not null,
      run_id text collate "C" not null,
      datapoint_id text collate "C" not null,
      status smallint not null,
      output text collate "C",
      score double precision,
      score_reason text collate "C",
      latency_ms bigint,
      tokens bigint,
      cost double precision,
      error text collate "C",
      attempts int not null,
      judge_model text collate "C",
      judge_prompt_hash text collate "C",
      judge_tokens bigint,
      judge_cost double precision,
      trace_id text collate "C",
      span_id text collate "C",
      metadata text collate "C",
      scores text collate "C",
      result_hash text collate "C",
      primary key (project_id, run_id, datapoint_id)
    )`);

    this.addSql(`create table eval_sample (
      project_id text collate "C" not null,
      run_id text collate "C" not null,
      datapoint_id text collate "C" not null,
      repeat int not null,
      status smallint not null,
      output text collate "C",
      score double precision,
      score_reason text collate "C",
      latency_ms bigint,
      tokens bigint,
      cost double precision,
      error text collate "C",
      attempts int not null,
      judge_model text collate "C",
      judge_prompt_hash text collate "C",
      judge_tokens bigint,
      judge_cost double precision,
      trace_id text collate "C",
      span_id text collate "C",
      metadata text collate "C",
      scores text collate "C",
      result_hash text collate "C",
      primary key (project_id, run_id, datapoint_id, repeat)
    )`);

    this.addSql(`create table eval_submission (
      project_id text collate "C" not null,
      run_id text collate "C" not null,
      datapoint_id text collate "C" not null,
      repeat int not null,
      result text collate "C" not null,
      result_hash text collate "C" not null,
      primary key (project_id, run_id, datapoint_id, repeat)
    )`);

    // Search.
    this.addSql(`create table search_state (
      project_id text collate "C" not null primary key,
      index_name text collate "C" not null,
      embedding text collate "C",
      after_id text collate "C"
    )`);
    this.addSql('create index search_state_unfinished on search_state (project_id) where after_id is not null');

    this.addSql(`create table search_task (
      project_id text collate "C" not null,
      kind smallint not null,
      id text collate "C" not null,
      due_at bigint not null,
      claim text collate "C",
      texted smallint not null,
      primary key (project_id, kind, id)
    )`);
    this.addSql('create index search_task_due on search_task (due_at)');

    // Connections and masking.
    this.addSql(`create table provider_connection (
      project_id text collate "C" not null,
      id text collate "C" not null,
      name text collate "C" not null,
      provider text collate "C" not null,
      base_url text collate "C",
      default_model text collate "C",
      key_id text collate "C" not null,
      sealed_key text collate "C" not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (project_id, id)
    )`);

    this.addSql(`create table key_holder (
      id text collate "C" not null primary key,
      host text collate "C" not null,
      key_ids text collate "C" not null,
      seen_at bigint not null
    )`);

    this.addSql(`create table masking_rules (
      project_id text collate "C" not null primary key,
      rules text collate "C" not null,
      updated_at bigint not null,
      key_id text collate "C" not null default '',
      sealed_key text collate "C" not null default ''
    )`);

    // Organizations, projects, keys and people.
    this.addSql(`create table organization (
      id text collate "C" not null primary key,
      name text collate "C" not null,
      plan text collate "C" not null,
      rate_limit int,
      created_at bigint not null,
      retention_days int,
      deleting_at bigint
    )`);

    this.addSql(`create table project (
      id text collate "C" not null primary key,
      org_id text collate "C" not null,
      name text collate "C" not null,
      created_at bigint not null,
      retention_days int,
      protected smallint not null default 0,
      deleting_at bigint,
      rate_limit int
    )`);
    this.addSql('create index project_org on project (org_id, id)');

    this.addSql(`create table api_key (
      id text collate "C" not null primary key,
      org_id text collate "C" not null,
      project_id text collate "C" not null,
      name text collate "C" not null,
      prefix text collate "C" not null,
      digest text collate "C" not null,
      scopes text collate "C" not null,
      expires_at bigint,
      created_at bigint not null,
      maker text collate "C",
      maker_name text collate "C",
      maker_person_id text collate "C",
      suspended_at bigint,
      used_at bigint,
      rate_limit int,
      session_id text collate "C",
      token_key text collate "C"
    )`);
    this.addSql('create index api_key_org on api_key (org_id, id)');
    this.addSql('alter table api_key add constraint api_key_digest unique (digest)');
    this.addSql('create index api_key_maker on api_key (maker_person_id) where maker_person_id is not null');
    this.addSql('create index api_key_session on api_key (session_id) where session_id is not null');

    this.addSql(`create table person (
      id text collate "C" not null primary key,
      issuer text collate "C" not null,
      subject text collate "C" not null,
      email text collate "C",
      name text collate "C",
      project_id text collate "C",
      created_at bigint not null,
      signed_in_at bigint not null,
      refused_at bigint
    )`);
    this.addSql('alter table person add constraint person_subject unique (issuer, subject)');

    this.addSql(`create table member (
      id text collate "C" not null primary key,
      org_id text collate "C" not null,
      project_id text collate "C",
      role text collate "C" not null,
      source text collate "C" not null,
      email text collate "C",
      person_id text collate "C",
      created_at bigint not null
    )`);
    this.addSql('create index member_org on member (org_id, id)');
    this.addSql('create index member_person on member (person_id, org_id)');
    this.addSql('create index member_email on member (email) where person_id is null');

    this.addSql(`create table browser_session (
      id text collate "C" not null primary key,
      digest text collate "C" not null,
      org_id text collate "C" not null,
      project_id text collate "C" not null,
      key_id text collate "C",
      subject text collate "C",
      scopes text collate "C" not null,
      expires_at bigint not null,
      used_at bigint not null,
      created_at bigint not null,
      person_id text collate "C",
      refreshed_at bigint,
      refreshing_at bigint,
      sealed_tokens text collate "C"
    )`);
    this.addSql('alter table browser_session add constraint browser_session_digest unique (digest)');
    this.addSql('create index browser_session_person on browser_session (person_id) where person_id is not null');

    this.addSql(`create table removal (
      id text collate "C" not null primary key,
      kind text collate "C" not null,
      org_id text collate "C" not null,
      name text collate "C" not null,
      requested_at bigint not null,
      requested_by text collate "C" not null,
      step text collate "C",
      rows_deleted bigint not null,
      counts text collate "C" not null,
      lease_owner text collate "C",
      lease_until bigint not null,
      finished_at bigint,
      progressed_at bigint not null,
      failures int not null,
      last_error text collate "C"
    )`);
    this.addSql('create index removal_org on removal (org_id)');

    // The audit log.
    this.addSql(`create table audit_log (
      id text collate "C" not null primary key,
      at bigint not null,
      org_id text collate "C",
      actor text collate "C" not null,
      action text collate "C" not null,
      target_id text collate "C" not null,
      details text collate "C" not null,
      actor_name text collate "C",
      target_name text collate "C",
      project_id text collate "C",
      address text collate "C",
      request_id text collate "C",
      chain text collate "C",
      seq bigint,
      prev_hash text collate "C",
      hash text collate "C"
    )`);
    this.addSql('create index audit_log_org on audit_log (org_id, id)');
    this.addSql('create index audit_log_unchained on audit_log (id) where chain is null');
    this.addSql('alter table audit_log add constraint audit_log_chain unique (chain, seq)');

    this.addSql(`create table audit_chain (
      chain text collate "C" not null primary key,
      seq bigint not null,
      hash text collate "C" not null
    )`);

    this.addSql(`create table audit_forwarded (
      chain text collate "C" not null primary key,
      seq bigint not null
    )`);
  }
}
