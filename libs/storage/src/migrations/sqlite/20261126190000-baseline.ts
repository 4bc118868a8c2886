import { Migration } from '@mikro-orm/migrations';

/** All tables of version 0.1.0, the first one (docs/adr/0060-one-baseline-migration.md). */
export class Baseline extends Migration {
  override up(): void {
    // Traces and spans.
    this.addSql(`create table span (
      project_id text not null,
      id text not null,
      trace_id text not null,
      parent_id text,
      name text not null,
      status integer not null,
      kind_type text not null,
      model text,
      provider text,
      input_tokens bigint,
      output_tokens bigint,
      total_tokens bigint,
      cost double,
      started_at bigint not null,
      ended_at bigint,
      duration_ms bigint,
      create_hash text,
      cover integer,
      primary key (project_id, id)
    )`);
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

    this.addSql(`create table span_payload (
      project_id text not null,
      span_id text not null,
      kind text not null,
      input text,
      output text,
      metadata text,
      error text,
      primary key (project_id, span_id)
    )`);

    this.addSql(`create table trace (
      project_id text not null,
      id text not null,
      name text,
      session_id text,
      user_id text,
      tags text not null,
      metadata text not null,
      started_at bigint not null,
      create_hash text,
      status integer not null,
      span_count integer not null,
      running_count integer not null,
      error_count integer not null,
      total_tokens bigint not null,
      cost_usd bigint not null,
      cost_pico bigint not null,
      cost_count integer not null,
      models text not null,
      last_ended_at bigint,
      unpriced_count integer not null default 0,
      origins text,
      primary key (project_id, id)
    )`);
    this.addSql('create index trace_started_at on trace (project_id, started_at, id)');
    this.addSql('create index trace_session on trace (project_id, session_id, started_at, id) where session_id is not null');
    this.addSql('create index trace_user on trace (project_id, user_id, started_at, id) where user_id is not null');
    this.addSql('create index trace_unfinished on trace (project_id, status, started_at, id) where status <> 1');

    this.addSql(`create table trace_tag (
      project_id text not null,
      tag text not null,
      started_at bigint not null,
      trace_id text not null,
      primary key (project_id, tag, started_at, trace_id)
    )`);

    this.addSql(`create table usage_mark (
      project_id text not null,
      trace_id text not null,
      span_id text not null,
      primary key (project_id, trace_id, span_id)
    )`);

    this.addSql(`create table otlp_event (
      project_id text not null,
      trace_id text not null,
      span_id text not null,
      id text not null,
      time text not null,
      event text not null,
      came_at bigint not null,
      position integer not null,
      merged integer not null,
      primary key (project_id, trace_id, span_id, id)
    )`);
    this.addSql('create index otlp_event_came_at on otlp_event (came_at)');

    // Text search.
    this.addSql(`create table text_pending (
      project_id text not null,
      started_at bigint not null,
      span_id text not null,
      mark bigint not null,
      primary key (project_id, started_at, span_id)
    ) without rowid`);

    this.addSql(`create table text_watermark (
      project_id text not null primary key,
      started_until bigint not null,
      leased_by text not null,
      leased_until bigint not null
    )`);

    this.addSql(`create table text_slice (
      project_id text not null,
      started_from bigint not null,
      started_until bigint not null,
      state integer not null,
      spans bigint not null,
      grams blob,
      primary key (project_id, started_from)
    )`);
    this.addSql('create index text_slice_open on text_slice (project_id, started_from) where state = 0');

    // Events.
    this.addSql(`create table event_counter (
      project_id text not null primary key,
      last_seq bigint not null
    )`);

    this.addSql(`create table event_log (
      project_id text not null,
      last_seq bigint not null,
      first_seq bigint not null,
      lines text not null,
      created_at bigint not null,
      packed blob,
      sent_length bigint,
      primary key (project_id, last_seq)
    )`);


    // Analytics.
    this.addSql(`create table analytics_total (
      project_id text not null primary key,
      trace_count bigint not null
    )`);

    this.addSql(`create table analytics_rollup (
      project_id text not null,
      grain integer not null,
      bucket bigint not null,
      model text not null,
      provider text not null,
      status integer not null,
      llm integer not null,
      span_count bigint not null,
      tokens double not null,
      duration_ms double not null,
      cost_usd bigint not null,
      cost_pico bigint not null,
      cost_count bigint not null,
      unpriced_count bigint not null default '0',
      latencies text not null default '',
      primary key (project_id, grain, bucket, model, provider, status, llm)
    ) without rowid`);

    // Datasets, capture rules and the review queue.
    this.addSql(`create table dataset (
      project_id text not null,
      id text not null,
      name text not null,
      description text,
      datapoint_count bigint not null,
      version bigint not null,
      pinned_version bigint not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (project_id, id)
    )`);

    this.addSql(`create table datapoint (
      project_id text not null,
      dataset_id text not null,
      id text not null,
      from_version bigint not null,
      to_version bigint,
      import_id text,
      source integer not null,
      source_span_id text,
      kind text not null,
      result_output text,
      result_score double,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (project_id, dataset_id, id, from_version)
    )`);
    this.addSql('create index datapoint_closed on datapoint (project_id, dataset_id) where to_version is not null');

    this.addSql(`create table dataset_import (
      project_id text not null,
      id text not null,
      dataset_id text not null,
      published_version bigint,
      unfinished integer not null,
      announced_through text,
      lease_until bigint not null,
      primary key (project_id, id)
    )`);
    this.addSql('create index dataset_import_dataset on dataset_import (project_id, dataset_id)');
    this.addSql('create index dataset_import_unfinished on dataset_import (lease_until) where unfinished = 1');

    this.addSql(`create table capture (
      project_id text not null,
      rule_id text not null,
      span_id text not null,
      datapoint_id text not null,
      primary key (project_id, rule_id, span_id)
    )`);

    this.addSql(`create table capture_rule (
      project_id text not null,
      id text not null,
      dataset_id text not null,
      name text not null,
      enabled integer not null,
      filters text not null,
      sample_rate double not null,
      captured_count bigint not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (project_id, id)
    )`);
    this.addSql('create index capture_rule_dataset on capture_rule (project_id, dataset_id, id)');

    this.addSql(`create table capture_task (
      project_id text not null,
      rule_id text not null,
      span_id text not null,
      failures integer not null,
      due_at bigint not null,
      primary key (project_id, rule_id, span_id)
    )`);
    this.addSql('create index capture_task_due on capture_task (due_at)');

    this.addSql(`create table queue_item (
      project_id text not null,
      id text not null,
      dataset_id text not null,
      datapoint_id text not null,
      status integer not null,
      claimed_by text,
      claimed_at bigint,
      original_data text not null,
      edited_data text,
      created_at bigint not null,
      claimed_by_name text,
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
      project_id text not null,
      id text not null,
      dataset_id text not null,
      dataset_version bigint not null,
      name text not null,
      status integer not null,
      config text not null,
      scoring text not null,
      scoring_config text,
      connection_id text not null,
      judge_connection_id text,
      total bigint not null,
      progress bigint not null,
      failed_count bigint not null,
      score_sum double not null,
      score_count bigint not null,
      total_tokens bigint not null,
      cost_usd bigint not null,
      cost_pico bigint not null,
      cost_count bigint not null,
      judge_tokens bigint not null,
      judge_cost_usd bigint not null,
      judge_cost_pico bigint not null,
      judge_cost_count bigint not null,
      error text,
      created_at bigint not null,
      started_at bigint,
      ended_at bigint,
      running text not null,
      lease_owner text,
      lease_until bigint not null,
      unpriced_count bigint not null default '0',
      judge_unpriced_count bigint not null default '0',
      scorers text,
      execution integer not null default 0,
      repeats integer not null default 1,
      pass_score double not null default 1,
      cost_cap double,
      gates text,
      metadata text,
      start_hash text,
      sample_progress bigint not null default '0',
      failed_samples bigint not null default '0',
      dearest_usd bigint,
      dearest_pico bigint,
      score_se double,
      score_ci text,
      passed integer,
      stop_reason integer,
      unscored bigint not null default '0',
      result_at bigint,
      closed_at bigint,
      primary key (project_id, id)
    )`);
    this.addSql('create index eval_run_unfinished on eval_run (status, lease_until) where status < 2');
    this.addSql('create index eval_run_dataset on eval_run (project_id, dataset_id, created_at, id)');
    this.addSql('create index eval_run_newest on eval_run (project_id, created_at, id)');

    this.addSql(`create table eval_run_metadata (
      project_id text not null,
      run_id text not null,
      key text not null,
      value text not null,
      primary key (project_id, run_id, key)
    )`);
    this.addSql('create index eval_run_metadata_key on eval_run_metadata (project_id, key, run_id)');

    this.addSql(`create table eval_result (
      project_id text not null,
      run_id text not null,
      datapoint_id text not null,
      status integer not null,
      output text,
      score double,
      score_reason text,
      latency_ms bigint,
      tokens bigint,
      cost double,
      error text,
      attempts integer not null,
      judge_model text,
      judge_prompt_hash text,
      judge_tokens bigint,
      judge_cost double,
      trace_id text,
      span_id text,
      metadata text,
      scores text,
      result_hash text,
      primary key (project_id, run_id, datapoint_id)
    )`);

    this.addSql(`create table eval_sample (
      project_id text not null,
      run_id text not null,
      datapoint_id text not null,
      repeat integer not null,
      status integer not null,
      output text,
      score double,
      score_reason text,
      latency_ms bigint,
      tokens bigint,
      cost double,
      error text,
      attempts integer not null,
      judge_model text,
      judge_prompt_hash text,
      judge_tokens bigint,
      judge_cost double,
      trace_id text,
      span_id text,
      metadata text,
      scores text,
      result_hash text,
      primary key (project_id, run_id, datapoint_id, repeat)
    )`);

    this.addSql(`create table eval_submission (
      project_id text not null,
      run_id text not null,
      datapoint_id text not null,
      repeat integer not null,
      result text not null,
      result_hash text not null,
      primary key (project_id, run_id, datapoint_id, repeat)
    )`);

    // Search.
    this.addSql(`create table search_state (
      project_id text not null,
      index_name text not null,
      embedding text,
      after_id text,
      primary key (project_id)
    )`);
    this.addSql('create index search_state_unfinished on search_state (project_id) where after_id is not null');

    this.addSql(`create table search_task (
      project_id text not null,
      kind integer not null,
      id text not null,
      due_at bigint not null,
      claim text,
      texted integer not null,
      primary key (project_id, kind, id)
    )`);
    this.addSql('create index search_task_due on search_task (due_at)');

    // Connections and masking.
    this.addSql(`create table provider_connection (
      project_id text not null,
      id text not null,
      name text not null,
      provider text not null,
      base_url text,
      default_model text,
      key_id text not null,
      sealed_key text not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (project_id, id)
    )`);

    this.addSql(`create table key_holder (
      id text not null primary key,
      host text not null,
      key_ids text not null,
      seen_at bigint not null
    )`);

    this.addSql(`create table masking_rules (
      project_id text not null primary key,
      rules text not null,
      updated_at bigint not null,
      key_id text not null default '',
      sealed_key text not null default ''
    )`);

    // Organizations, projects, keys and people.
    this.addSql(`create table organization (
      id text not null primary key,
      name text not null,
      plan text not null,
      rate_limit integer,
      created_at bigint not null,
      retention_days integer,
      deleting_at bigint
    )`);

    this.addSql(`create table project (
      id text not null primary key,
      org_id text not null,
      name text not null,
      created_at bigint not null,
      retention_days integer,
      protected integer not null default 0,
      deleting_at bigint,
      rate_limit integer
    )`);
    this.addSql('create index project_org on project (org_id, id)');

    this.addSql(`create table api_key (
      id text not null primary key,
      org_id text not null,
      project_id text not null,
      name text not null,
      prefix text not null,
      digest text not null,
      scopes text not null,
      expires_at bigint,
      created_at bigint not null,
      maker text,
      maker_name text,
      maker_person_id text,
      suspended_at bigint,
      used_at bigint,
      rate_limit integer,
      session_id text,
      token_key text
    )`);
    this.addSql('create index api_key_org on api_key (org_id, id)');
    this.addSql('create unique index api_key_digest on api_key (digest)');
    this.addSql('create index api_key_maker on api_key (maker_person_id) where maker_person_id is not null');
    this.addSql('create index api_key_session on api_key (session_id) where session_id is not null');

    this.addSql(`create table person (
      id text not null primary key,
      issuer text not null,
      subject text not null,
      email text,
      name text,
      project_id text,
      created_at bigint not null,
      signed_in_at bigint not null,
      refused_at bigint
    )`);
    this.addSql('create unique index person_subject on person (issuer, subject)');

    this.addSql(`create table member (
      id text not null primary key,
      org_id text not null,
      project_id text,
      role text not null,
      source text not null,
      email text,
      person_id text,
      created_at bigint not null
    )`);
    this.addSql('create index member_org on member (org_id, id)');
    this.addSql('create index member_person on member (person_id, org_id)');
    this.addSql('create index member_email on member (email) where person_id is null');

    this.addSql(`create table browser_session (
      id text not null primary key,
      digest text not null,
      org_id text not null,
      project_id text not null,
      key_id text,
      subject text,
      scopes text not null,
      expires_at bigint not null,
      used_at bigint not null,
      created_at bigint not null,
      person_id text,
      refreshed_at bigint,
      refreshing_at bigint,
      sealed_tokens text
    )`);
    this.addSql('create unique index browser_session_digest on browser_session (digest)');
    this.addSql('create index browser_session_person on browser_session (person_id) where person_id is not null');

    this.addSql(`create table removal (
      id text not null primary key,
      kind text not null,
      org_id text not null,
      name text not null,
      requested_at bigint not null,
      requested_by text not null,
      step text,
      rows_deleted bigint not null,
      counts text not null,
      lease_owner text,
      lease_until bigint not null,
      finished_at bigint,
      progressed_at bigint not null,
      failures integer not null,
      last_error text
    )`);
    this.addSql('create index removal_org on removal (org_id)');

    // The audit log.
    this.addSql(`create table audit_log (
      id text not null primary key,
      at bigint not null,
      org_id text,
      actor text not null,
      action text not null,
      target_id text not null,
      details text not null,
      actor_name text,
      target_name text,
      project_id text,
      address text,
      request_id text,
      chain text,
      seq bigint,
      prev_hash text,
      hash text
    )`);
    this.addSql('create index audit_log_org on audit_log (org_id, id)');
    this.addSql('create index audit_log_unchained on audit_log (id) where chain is null');
    this.addSql('create unique index audit_log_chain on audit_log (chain, seq)');

    this.addSql(`create table audit_chain (
      chain text not null primary key,
      seq bigint not null,
      hash text not null
    )`);

    this.addSql(`create table audit_forwarded (
      chain text not null primary key,
      seq bigint not null
    )`);
  }
}
