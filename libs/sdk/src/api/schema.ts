// Made by scripts/generate-sdk.mjs from the OpenAPI document; not edited by hand.

/** A body that is sent as it is: text, bytes, a form or a stream. */
export type FileBody = string | Uint8Array | Blob | FormData | ReadableStream<Uint8Array>;

/** What each operation takes, and its answer. */
export interface Operations {
  /** Whether the service runs: `GET /api/health`. */
  getHealth: {
    answer: Health;
  };
  /** Whether the process answers: `GET /livez`. */
  getLiveness: {
    answer: Probe;
  };
  /** Whether requests are served; 503 when not: `GET /readyz`. */
  getReadiness: {
    answer: Probe;
  };
  /** What this server can do: `GET /api/capabilities`. */
  getCapabilities: {
    answer: Capabilities;
  };
  /** Metrics of this process: `GET /metrics`. */
  readMetrics: {
    answer: Response;
  };
  /** This description: `GET /api/openapi.json`. */
  getOpenApi: {
    answer: OpenApiDocument;
  };
  /** Stream of live events: `GET /api/events`.
   * Events from now on, or behind the number given by `Last-Event-ID` or `since`. The stream goes on until one side ends it. */
  listenToEvents: {
    query?: {
      /** Events with a greater number; the header `Last-Event-ID` beats it. */
      since?: number;
      /** Types of events, separated by commas; all when left out. */
      types?: string;
      /** `outline`: without texts. */
      view?: 'full' | 'outline';
      /** Events of this trace alone, and those that may be of any: `span_deleted` and `cleared`. */
      trace_id?: string;
      /** An API key or a JWT, for browsers, which cannot send headers here; not looked at in local mode. */
      token?: string;
    };
    answer: Response;
  };
  /** Make an organization: `POST /api/orgs`.
   * For the operator of the service. */
  createOrganization: {
    body: CreateOrganization;
    answer: Organization;
  };
  /** Organizations, newest first: `GET /api/orgs`.
   * The own one; the operator of the service sees all. */
  listOrganizations: {
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: OrganizationList;
  };
  /** An organization, and how far its deletion is: `GET /api/orgs/{id}`.
   * The own one; the operator of the service sees all. */
  getOrganization: {
    path: {
      id: string;
    };
    answer: Organization;
  };
  /** Change an organization: `PATCH /api/orgs/{id}`.
   * Its administrators change its name, the operator of the service also plan, limit and retention. */
  updateOrganization: {
    path: {
      id: string;
    };
    body?: UpdateOrganization;
    answer: Organization;
  };
  /** Delete an organization with all of its projects: `DELETE /api/orgs/{id}`.
   * For the operator of the service. It is out of reach at once; the rest goes in the background. Asked for again, it says how far that is. */
  deleteOrganization: {
    path: {
      id: string;
    };
    answer: Organization;
  };
  /** Make a project: `POST /api/orgs/{id}/projects`. */
  createProject: {
    path: {
      id: string;
    };
    body: CreateProject;
    answer: Project;
  };
  /** Projects of an organization, oldest first: `GET /api/orgs/{id}/projects`. */
  listProjects: {
    path: {
      id: string;
    };
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: ProjectList;
  };
  /** A project of the organization, and how far its deletion is: `GET /api/projects/{id}`. */
  getProject: {
    path: {
      id: string;
    };
    answer: Project;
  };
  /** Change a project of the organization: its name, its limit, how long it keeps traces, whether it is protected: `PATCH /api/projects/{id}`. */
  updateProject: {
    path: {
      id: string;
    };
    body?: UpdateProject;
    answer: Project;
  };
  /** Delete a project of the organization with everything that it has: `DELETE /api/projects/{id}`.
   * It is out of reach at once; the rest goes in the background. Asked for again, it says how far that is. */
  deleteProject: {
    path: {
      id: string;
    };
    answer: Project;
  };
  /** Give somebody a role in an organization or a project: `POST /api/orgs/{id}/members`. */
  createMember: {
    path: {
      id: string;
    };
    body: CreateMember;
    answer: Member;
  };
  /** Members of an organization, oldest first: `GET /api/orgs/{id}/members`. */
  listMembers: {
    path: {
      id: string;
    };
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: MemberList;
  };
  /** Give a member another role: `PATCH /api/orgs/{id}/members/{member_id}`. */
  updateMember: {
    path: {
      id: string;
      member_id: string;
    };
    body: UpdateMember;
    answer: Member;
  };
  /** Take a member's role away: `DELETE /api/orgs/{id}/members/{member_id}`.
   * It counts no more within a second, in browsers that are signed in too. */
  deleteMember: {
    path: {
      id: string;
      member_id: string;
    };
    answer: Deleted;
  };
  /** Make an API key: `POST /api/keys`.
   * The answer has the key, which is not kept and cannot be had again. It ends with the membership of the person who makes it, unless `service_account` says otherwise. */
  createKey: {
    body: CreateKey;
    answer: KeyCreated;
  };
  /** API keys of the organization, newest first: `GET /api/keys`.
   * The operator of the service sees those of all organizations. */
  listKeys: {
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: KeyList;
  };
  /** Change an API key: its name, its limit, whether it outlives its maker: `PATCH /api/keys/{id}`. */
  updateKey: {
    path: {
      id: string;
    };
    body?: UpdateKey;
    answer: Key;
  };
  /** Revoke an API key: `DELETE /api/keys/{id}`.
   * Within a second no instance takes it any more, and event streams opened with it end. */
  deleteKey: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** What the credential of the request is: `GET /api/credential`. */
  getCredential: {
    answer: Credential;
  };
  /** Sign a browser in: `POST /api/session`.
   * Sets the cookie of the dashboard's pages. Programs send their credential with each request instead. */
  createBrowserSession: {
    body: CreateBrowserSession;
    answer: BrowserSession;
  };
  /** Who is signed in in this browser: `GET /api/session`.
   * Costs no request of the organization. A header that is no valid credential is 401. */
  getBrowserSession: {
    answer: BrowserSession;
  };
  /** Sign this browser out: `DELETE /api/session`.
   * Within a second no instance takes the cookie any more, and event streams opened with it end. */
  deleteBrowserSession: {
    answer: SignedOut;
  };
  /** Take this browser to another project: `PATCH /api/session`.
   * For a person with roles in several projects. The cookie is a new one. */
  switchProject: {
    body: SwitchProject;
    answer: BrowserSession;
  };
  /** Projects that this browser can be taken to: `GET /api/session/projects`. */
  listSessionProjects: {
    answer: SessionProjects;
  };
  /** Lead a browser to the identity provider: `GET /api/session/oidc`.
   * What cannot be done leads to the page to sign in, which says why. */
  beginSignIn: {
    query?: {
      /** Path of this server that the browser goes to afterwards. */
      next?: string;
    };
    answer: Response;
  };
  /** Sign a browser in that comes back from the identity provider: `GET /api/session/oidc/callback`.
   * Leads to where the browser wanted to go, with the cookie of a session; else to the page to sign in, which says why. */
  endSignIn: {
    query?: {
      code?: string;
      state?: string;
      error?: string;
    };
    answer: Response;
  };
  /** What was administered, deleted, exported and refused in the organization, newest first: `GET /api/audit-log`.
   * The operator of the service sees that of all organizations. */
  listAuditLog: {
    query?: {
      /** Who did it, as `actor` shows it. */
      actor?: string;
      /** What was done. May be repeated: any of these. */
      action?: AuditAction[];
      /** What it was done to: a `target_id`. */
      target?: string;
      /** Entries written then or later. */
      since?: string;
      /** Entries written before. */
      until?: string;
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: AuditLog;
  };
  /** The audit log as a file, an entry a line, oldest first: `GET /api/audit-log/export`. */
  exportAuditLog: {
    query?: {
      /** Who did it, as `actor` shows it. */
      actor?: string;
      /** What was done. May be repeated: any of these. */
      action?: AuditAction[];
      /** What it was done to: a `target_id`. */
      target?: string;
      /** Entries written then or later. */
      since?: string;
      /** Entries written before. */
      until?: string;
    };
    answer: Response;
  };
  /** How the texts of a project are masked: `GET /api/projects/{id}/masking`.
   * With `read` of the own project, with `admin` of every project of the organization. In local mode the id is `local`. */
  getMasking: {
    path: {
      id: string;
    };
    answer: Masking;
  };
  /** Replace the masking rules of a project: `PUT /api/projects/{id}/masking`.
   * They hold on all servers within a second, for what is recorded from then on. */
  putMasking: {
    path: {
      id: string;
    };
    body: PutMasking;
    answer: Masking;
  };
  /** What rules make of a text: `POST /api/projects/{id}/masking/preview`.
   * The text is kept nowhere. `rules` in the body need the scope `admin`. */
  previewMasking: {
    path: {
      id: string;
    };
    body: PreviewMasking;
    answer: MaskingPreview;
  };
  /** What recordings of this project are masked by: `GET /api/masking`.
   * For gateways and others that mask before they send. */
  getRecordingMasking: {
    answer: RecordingMasking;
  };
  /** Start a trace: `POST /api/traces`. */
  createTrace: {
    body?: CreateTrace;
    answer: Trace;
  };
  /** Traces with their roll-ups, newest first: `GET /api/traces`. */
  listTraces: {
    query?: {
      /** Lists the objects with these ids alone. May be repeated, up to 200 times. */
      ids?: string[];
      session_id?: string;
      user_id?: string;
      /** May be repeated; all must match. */
      tag?: string[];
      /** A literal substring of the name. */
      name_contains?: string;
      /** Traces that started then or later. */
      since?: string;
      /** Traces that started before. */
      until?: string;
      status?: 'running' | 'completed' | 'failed';
      /** Traces with a span of this model. */
      model?: string;
      /** Traces with a span of this provider. */
      provider?: string;
      /** Milliseconds. */
      duration_min?: number;
      /** Milliseconds. */
      duration_max?: number;
      /** Dollars. */
      cost_min?: number;
      tokens_min?: number;
      /** `metadata.KEY=VALUE`: traces with this value, or this JSON, as a member of their own metadata; may come for several keys. */
      metadata?: {
        [key: string]: string;
      };
      /** `NAME<0.5` (also `<=`, `>`, `>=`, `=`) or `NAME:LABEL`: those with such a score. May be repeated; all must match. */
      score?: string[];
      /** Traces without the value come last. `score:NAME`: those alone that have such a score with a value. */
      sort_by?: ('started_at' | 'duration' | 'cost' | 'tokens' | 'spans') | string;
      sort_order?: 'asc' | 'desc';
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** Characters of each text that is previewed. */
      preview?: number;
      /** `scores`: the member `scores`, with what the scores of each come to. */
      include?: 'scores';
    };
    answer: TraceList;
  };
  /** Delete all traces and spans of the project: `DELETE /api/traces`. */
  deleteTraces: {
    answer: TracesDeleted;
  };
  /** A trace with all its spans in start order: `GET /api/traces/{id}`. */
  getTrace: {
    path: {
      id: string;
    };
    query?: {
      /** `outline`: without texts. */
      view?: 'full' | 'outline';
      /** Characters of each text that is previewed. */
      preview?: number;
    };
    answer: TraceSpans | TraceOutline;
  };
  /** Change a trace: `PATCH /api/traces/{id}`. */
  patchTrace: {
    path: {
      id: string;
    };
    body?: PatchTrace;
    answer: Trace;
  };
  /** Delete a trace and its spans: `DELETE /api/traces/{id}`. */
  deleteTrace: {
    path: {
      id: string;
    };
    answer: TraceDeleted;
  };
  /** Start a span: `POST /api/spans`. */
  createSpan: {
    body: CreateSpan;
    answer: SpanCreated;
  };
  /** Spans that match all filters: `GET /api/spans`. */
  listSpans: {
    query?: {
      /** Lists the objects with these ids alone. May be repeated, up to 200 times. */
      ids?: string[];
      trace_id?: string;
      parent_id?: string;
      /** Spans of traces of this session. */
      session_id?: string;
      /** Spans of traces of this user. */
      user_id?: string;
      /** Spans of traces with this tag. May be repeated; all must match. */
      tag?: string[];
      /** `kind.type`. */
      kind?: string;
      model?: string;
      provider?: string;
      status?: 'running' | 'completed' | 'failed';
      /** Spans that started then or later. */
      since?: string;
      /** Spans that started before. */
      until?: string;
      /** A literal substring of the name. */
      name_contains?: string;
      /** A literal substring of input or output. */
      text_contains?: string;
      input_contains?: string;
      output_contains?: string;
      /** A literal substring of the error of a failed span. */
      error_contains?: string;
      /** Milliseconds. */
      duration_min?: number;
      /** Milliseconds. */
      duration_max?: number;
      tokens_min?: number;
      /** Dollars. */
      cost_min?: number;
      /** `metadata.KEY=VALUE`: spans with this value, or this JSON, as a member of their own metadata; may come for several keys. */
      metadata?: {
        [key: string]: string;
      };
      /** `NAME<0.5` (also `<=`, `>`, `>=`, `=`) or `NAME:LABEL`: those with such a score. May be repeated; all must match. */
      score?: string[];
      /** Spans without the value come last. `score:NAME`: those alone that have such a score with a value. */
      sort_by?: ('started_at' | 'duration' | 'tokens' | 'cost' | 'name') | string;
      sort_order?: 'asc' | 'desc';
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** `outline`: without texts. */
      view?: 'full' | 'outline';
      /** Characters of each text that is previewed. */
      preview?: number;
      /** `scores`: the member `scores`; `metadata`: the caller's in an outline, up to 16 KB. May be repeated. */
      include?: ('scores' | 'metadata')[];
    };
    answer: SpanList | SpanOutlineList;
  };
  /** Complete a running span: `POST /api/spans/{id}/complete`. */
  completeSpan: {
    path: {
      id: string;
    };
    body?: CompleteSpan;
    answer: Span;
  };
  /** Fail a running span: `POST /api/spans/{id}/fail`. */
  failSpan: {
    path: {
      id: string;
    };
    body: FailSpan;
    answer: Span;
  };
  /** A span: `GET /api/spans/{id}`. */
  getSpan: {
    path: {
      id: string;
    };
    query?: {
      /** `cost`: the member `cost`, with what the cost is made of. */
      include?: 'cost';
    };
    answer: ReadSpan;
  };
  /** Delete a span: `DELETE /api/spans/{id}`. */
  deleteSpan: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** Sessions, newest first: `GET /api/sessions`. */
  listSessions: {
    query?: {
      /** A literal substring of the session id. */
      id_contains?: string;
      /** Sessions with a trace of this user. */
      user_id?: string;
      /** Sessions that started then or later. */
      since?: string;
      /** Sessions that started before. */
      until?: string;
      /** `scores`: the member `scores`, with what the scores of each come to. */
      include?: 'scores';
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: SessionList;
  };
  /** The traces of a session, newest first unless sorted otherwise: `GET /api/sessions/{session_id}`. */
  getSession: {
    path: {
      session_id: string;
    };
    query?: {
      /** Characters of each text that is previewed. */
      preview?: number;
      /** `scores`: the member `scores`, with what the scores of each come to. */
      include?: 'scores';
      /** `asc`: the oldest trace first. */
      sort_order?: 'asc' | 'desc';
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: SessionTraces;
  };
  /** Users with what their traces come to, those seen last first unless sorted otherwise: `GET /api/users`. */
  listUsers: {
    query?: {
      /** Counts traces that started then or later. */
      since?: string;
      /** Counts traces that started before. */
      until?: string;
      /** A literal substring of the user id. */
      id_contains?: string;
      /** Users whose ids begin with these very letters. */
      prefix?: string;
      /** Users without a known cost come last. */
      sort_by?: 'last_seen' | 'cost' | 'calls' | 'tokens' | 'errors';
      sort_order?: 'asc' | 'desc';
      /** `scores`: the member `scores`, with what the scores of each come to. */
      include?: 'scores';
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: UserList;
  };
  /** What the traces of a user come to: `GET /api/users/{user_id}`. */
  getUser: {
    path: {
      user_id: string;
    };
    query?: {
      /** Counts traces that started then or later. */
      since?: string;
      /** Counts traces that started before. */
      until?: string;
    };
    answer: User;
  };
  /** How many traces match all filters: `GET /api/count/traces`. */
  countTraces: {
    query?: {
      /** Lists the objects with these ids alone. May be repeated, up to 200 times. */
      ids?: string[];
      session_id?: string;
      user_id?: string;
      /** May be repeated; all must match. */
      tag?: string[];
      /** A literal substring of the name. */
      name_contains?: string;
      /** Traces that started then or later. */
      since?: string;
      /** Traces that started before. */
      until?: string;
      status?: 'running' | 'completed' | 'failed';
      /** Traces with a span of this model. */
      model?: string;
      /** Traces with a span of this provider. */
      provider?: string;
      /** Milliseconds. */
      duration_min?: number;
      /** Milliseconds. */
      duration_max?: number;
      /** Dollars. */
      cost_min?: number;
      tokens_min?: number;
      /** `metadata.KEY=VALUE`: traces with this value, or this JSON, as a member of their own metadata; may come for several keys. */
      metadata?: {
        [key: string]: string;
      };
      /** `NAME<0.5` (also `<=`, `>`, `>=`, `=`) or `NAME:LABEL`: those with such a score. May be repeated; all must match. */
      score?: string[];
    };
    answer: Counted;
  };
  /** When the traces that match all filters began, by status: `GET /api/count/traces/over-time`. */
  countTracesOverTime: {
    query?: {
      /** Lists the objects with these ids alone. May be repeated, up to 200 times. */
      ids?: string[];
      session_id?: string;
      user_id?: string;
      /** May be repeated; all must match. */
      tag?: string[];
      /** A literal substring of the name. */
      name_contains?: string;
      /** Traces that started then or later. */
      since?: string;
      /** Traces that started before. */
      until?: string;
      status?: 'running' | 'completed' | 'failed';
      /** Traces with a span of this model. */
      model?: string;
      /** Traces with a span of this provider. */
      provider?: string;
      /** Milliseconds. */
      duration_min?: number;
      /** Milliseconds. */
      duration_max?: number;
      /** Dollars. */
      cost_min?: number;
      tokens_min?: number;
      /** `metadata.KEY=VALUE`: traces with this value, or this JSON, as a member of their own metadata; may come for several keys. */
      metadata?: {
        [key: string]: string;
      };
      /** `NAME<0.5` (also `<=`, `>`, `>=`, `=`) or `NAME:LABEL`: those with such a score. May be repeated; all must match. */
      score?: string[];
    };
    answer: TracesOverTime;
  };
  /** How many spans match all filters: `GET /api/count/spans`. */
  countSpans: {
    query?: {
      /** Lists the objects with these ids alone. May be repeated, up to 200 times. */
      ids?: string[];
      trace_id?: string;
      parent_id?: string;
      /** Spans of traces of this session. */
      session_id?: string;
      /** Spans of traces of this user. */
      user_id?: string;
      /** Spans of traces with this tag. May be repeated; all must match. */
      tag?: string[];
      /** `kind.type`. */
      kind?: string;
      model?: string;
      provider?: string;
      status?: 'running' | 'completed' | 'failed';
      /** Spans that started then or later. */
      since?: string;
      /** Spans that started before. */
      until?: string;
      /** A literal substring of the name. */
      name_contains?: string;
      /** A literal substring of input or output. */
      text_contains?: string;
      input_contains?: string;
      output_contains?: string;
      /** A literal substring of the error of a failed span. */
      error_contains?: string;
      /** Milliseconds. */
      duration_min?: number;
      /** Milliseconds. */
      duration_max?: number;
      tokens_min?: number;
      /** Dollars. */
      cost_min?: number;
      /** `metadata.KEY=VALUE`: spans with this value, or this JSON, as a member of their own metadata; may come for several keys. */
      metadata?: {
        [key: string]: string;
      };
      /** `NAME<0.5` (also `<=`, `>`, `>=`, `=`) or `NAME:LABEL`: those with such a score. May be repeated; all must match. */
      score?: string[];
    };
    answer: Counted;
  };
  /** Values that filters can take, in order: `GET /api/facets`. */
  listFacets: {
    query: {
      /** `metadata.KEY`: values of an indexed key of the metadata of traces and spans. */
      of: ('model' | 'provider' | 'kind' | 'tag' | 'span_name' | 'trace_name' | 'user' | 'session') | string;
      /** Values that begin with these very letters. */
      prefix?: string;
      /** Values of traces or spans that started then or later. */
      since?: string;
      /** Values of traces or spans that started before. */
      until?: string;
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: FacetList;
  };
  /** Write many traces, spans and scores: `POST /api/ingest`.
   * An upsert by id: sending it again changes nothing. All or nothing per item; 200 also when some were rejected. */
  ingest: {
    body?: Ingest;
    answer: IngestResult;
  };
  /** The prices by which costs are computed, by model: `GET /api/prices`. */
  listPrices: {
    query?: {
      /** The price of this model alone; where it has none, those of the models with names near to it. */
      model?: string;
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: PriceList;
  };
  /** Price recorded spans again, some at a time: `POST /api/prices/apply`.
   * Looks at some finished spans, and gives those whose cost the price table computed, or could not compute, the cost by the prices of today. Call it with `next_cursor` until that is `null`. */
  applyPrices: {
    body?: ApplyPrices;
    answer: AppliedPrices;
  };
  /** Take spans of OpenTelemetry: `POST /v1/traces`. */
  otlpTraces: {
    body: object | FileBody;
    answer: Response;
  };
  /** Take log records of OpenTelemetry about model calls: `POST /v1/logs`. */
  otlpLogs: {
    body: object | FileBody;
    answer: Response;
  };
  /** Answer metrics of OpenTelemetry, which are not kept: `POST /v1/metrics`. */
  otlpMetrics: {
    body: object | FileBody;
    answer: Response;
  };
  /** Take spans of OpenTelemetry: `POST /api/otel/v1/traces`. */
  otlpTracesUnderApi: {
    body: object | FileBody;
    answer: Response;
  };
  /** Take log records of OpenTelemetry about model calls: `POST /api/otel/v1/logs`. */
  otlpLogsUnderApi: {
    body: object | FileBody;
    answer: Response;
  };
  /** Answer metrics of OpenTelemetry, which are not kept: `POST /api/otel/v1/metrics`. */
  otlpMetricsUnderApi: {
    body: object | FileBody;
    answer: Response;
  };
  /** Take spans of OpenTelemetry: `POST /api/public/otel/v1/traces`. */
  otlpTracesOfLangfuse: {
    body: object | FileBody;
    answer: Response;
  };
  /** Take spans of OpenTelemetry: `POST /otel/v1/traces`. */
  otlpTracesOfLangsmith: {
    body: object | FileBody;
    answer: Response;
  };
  /** Score a trace, a span or a session: `POST /api/scores`.
   * With a key of the scope `feedback`, which web pages may hold, `source` is `end_user`, `author` the key, and the trace one of the last 24 hours. */
  createScore: {
    body: CreateScore;
    answer: Score;
  };
  /** Scores, newest first: `GET /api/scores`. */
  listScores: {
    query?: {
      /** Scores of the trace and of its spans. */
      trace_id?: string;
      span_id?: string;
      session_id?: string;
      name?: string;
      source?: 'human' | 'code' | 'judge' | 'end_user';
      author?: string;
      rule_id?: string;
      label?: string;
      /** Inclusive. */
      min_value?: number;
      /** Inclusive. */
      max_value?: number;
      /** Made then or later. */
      since?: string;
      /** Made before. */
      until?: string;
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: ScoreList;
  };
  /** A score: `GET /api/scores/{id}`. */
  getScore: {
    path: {
      id: string;
    };
    answer: Score;
  };
  /** Change a score: `PUT /api/scores/{id}`. */
  updateScore: {
    path: {
      id: string;
    };
    body?: UpdateScore;
    answer: Score;
  };
  /** Delete a score: `DELETE /api/scores/{id}`. */
  deleteScore: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** What scores come to by hour, day or week: `GET /api/analytics/scores`. */
  getScoreSeries: {
    query?: {
      name?: string;
      source?: 'human' | 'code' | 'judge' | 'end_user';
      rule_id?: string;
      /** Scores of spans of this model. */
      model?: string;
      /** The hour in which it lies is the first. */
      since?: string;
      /** The hour in which it lies is the last. */
      until?: string;
      group_by?: 'hour' | 'day' | 'week';
    };
    answer: ScoreSeries;
  };
  /** A judge's mean, corrected by what people said: `GET /api/analytics/quality`. */
  getScoreQuality: {
    query: {
      /** The name of the scores, which judge and people have in common. */
      name: string;
      /** Scores of traces, spans and sessions that began then or later. */
      since?: string;
      /** Scores of traces, spans and sessions that began before. */
      until?: string;
      /** Days and weeks (from Monday, UTC) show a judge that drifts. */
      split_by?: 'model' | 'day' | 'week';
    };
    answer: ScoreQualityAnswer;
  };
  /** Define what scores of a name look like: `POST /api/score-definitions`. */
  createScoreDefinition: {
    body: CreateScoreDefinition;
    answer: ScoreDefinition;
  };
  /** Definitions of scores, oldest first: `GET /api/score-definitions`. */
  listScoreDefinitions: {
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: ScoreDefinitionList;
  };
  /** A definition of scores: `GET /api/score-definitions/{id}`. */
  getScoreDefinition: {
    path: {
      id: string;
    };
    answer: ScoreDefinition;
  };
  /** Replace a definition of scores; scores that are there stay: `PUT /api/score-definitions/{id}`. */
  updateScoreDefinition: {
    path: {
      id: string;
    };
    body: UpdateScoreDefinition;
    answer: ScoreDefinition;
  };
  /** Delete a definition of scores; scores that are there stay: `DELETE /api/score-definitions/{id}`. */
  deleteScoreDefinition: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** Make a dataset: `POST /api/datasets`. */
  createDataset: {
    body: CreateDataset;
    answer: Dataset;
  };
  /** Datasets, newest first: `GET /api/datasets`. */
  listDatasets: {
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: DatasetList;
  };
  /** A dataset: `GET /api/datasets/{id}`. */
  getDataset: {
    path: {
      id: string;
    };
    query?: {
      /** What takes longer to find, and is left out otherwise. */
      include?: 'without_expected_count';
    };
    answer: DatasetRead;
  };
  /** Change a dataset: `PUT /api/datasets/{id}`. */
  updateDataset: {
    path: {
      id: string;
    };
    body?: UpdateDataset;
    answer: Dataset;
  };
  /** Delete a dataset with its datapoints, queue items, capture rules and eval runs: `DELETE /api/datasets/{id}`. */
  deleteDataset: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** Add a datapoint: `POST /api/datasets/{id}/datapoints`. */
  createDatapoint: {
    path: {
      id: string;
    };
    body: CreateDatapoint;
    answer: Datapoint;
  };
  /** Datapoints of a dataset, oldest first unless sorted otherwise: `GET /api/datasets/{id}/datapoints`. */
  listDatapoints: {
    path: {
      id: string;
    };
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** A literal substring of any value of the kind. */
      text_contains?: string;
      source?: 'manual' | 'span_export' | 'file_upload';
      /** Lists the objects with these ids alone. May be repeated, up to 200 times. */
      ids?: string[];
      /** `metadata.KEY=VALUE`: datapoints that have it; may come for several keys. */
      metadata?: {
        [key: string]: string;
      };
      /** So many of those that `source`, `ids` and `metadata` take, chosen by chance. */
      sample?: number;
      /** Requests with the same seed choose the same datapoints; 0 when left out. */
      seed?: number;
      /** `asc`: oldest first. */
      sort_order?: 'asc' | 'desc';
      /** Characters of each text that is previewed. */
      preview?: number;
    };
    answer: DatapointList | DatapointPreviewList;
  };
  /** A datapoint: `GET /api/datasets/{id}/datapoints/{dp_id}`. */
  getDatapoint: {
    path: {
      id: string;
      dp_id: string;
    };
    answer: Datapoint;
  };
  /** Change a datapoint: `PUT /api/datasets/{id}/datapoints/{dp_id}`. */
  updateDatapoint: {
    path: {
      id: string;
      dp_id: string;
    };
    body?: UpdateDatapoint;
    answer: Datapoint;
  };
  /** Delete a datapoint and its queue items: `DELETE /api/datasets/{id}/datapoints/{dp_id}`. */
  deleteDatapoint: {
    path: {
      id: string;
      dp_id: string;
    };
    answer: Deleted;
  };
  /** Delete datapoints and their queue items, as one change of the dataset: `POST /api/datasets/{id}/datapoints/delete`. */
  deleteDatapoints: {
    path: {
      id: string;
    };
    body: DeleteDatapoints;
    answer: DeletedDatapoints;
  };
  /** Make a datapoint from a span: `POST /api/datasets/{id}/export-span`. */
  exportSpan: {
    path: {
      id: string;
    };
    body: ExportSpan;
    answer: Datapoint;
  };
  /** Make datapoints from spans, as one change of the dataset: `POST /api/datasets/{id}/export-spans`. */
  exportSpans: {
    path: {
      id: string;
    };
    body: ExportSpans;
    answer: ExportedSpans;
  };
  /** Add the datapoints of a file: `POST /api/datasets/{id}/import`.
   * JSONL, a JSON array or CSV with a header, recognised by file name or media type. */
  importDatapoints: {
    path: {
      id: string;
    };
    query?: {
      /** What a bad row does: reject the file, or itself. */
      on_error?: 'reject' | 'skip';
      /** Names the file of a raw body. */
      filename?: string;
      /** Leaves rows out whose content the dataset, or an earlier row, has already. */
      dedupe?: boolean;
      /** Makes the dataset what the file is: other datapoints go, those that a row has the content of stay. */
      replace?: boolean;
    };
    body: object | FileBody;
    answer: ImportResult;
  };
  /** All datapoints as one file: `GET /api/datasets/{id}/export`. */
  exportDataset: {
    path: {
      id: string;
    };
    query?: {
      format?: 'jsonl' | 'json' | 'csv';
    };
    answer: Response;
  };
  /** Make a capture rule: `POST /api/datasets/{id}/capture-rules`. */
  createCaptureRule: {
    path: {
      id: string;
    };
    body: CreateCaptureRule;
    answer: CaptureRule;
  };
  /** Capture rules of a dataset, oldest first: `GET /api/datasets/{id}/capture-rules`. */
  listCaptureRules: {
    path: {
      id: string;
    };
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: CaptureRuleList;
  };
  /** What a capture rule would have taken of the newest spans: `POST /api/datasets/{id}/capture-rules/preview`.
   * Nothing is written. */
  previewCaptureRule: {
    path: {
      id: string;
    };
    body?: PreviewCapture;
    answer: CapturePreview;
  };
  /** A capture rule: `GET /api/datasets/{id}/capture-rules/{rule_id}`. */
  getCaptureRule: {
    path: {
      id: string;
      rule_id: string;
    };
    answer: CaptureRule;
  };
  /** Change a capture rule: `PUT /api/datasets/{id}/capture-rules/{rule_id}`. */
  updateCaptureRule: {
    path: {
      id: string;
      rule_id: string;
    };
    body?: UpdateCaptureRule;
    answer: CaptureRule;
  };
  /** Delete a capture rule; its datapoints stay: `DELETE /api/datasets/{id}/capture-rules/{rule_id}`. */
  deleteCaptureRule: {
    path: {
      id: string;
      rule_id: string;
    };
    answer: Deleted;
  };
  /** Put traces, spans or sessions into the review queue: `POST /api/queue`. */
  enqueueTargets: {
    body: EnqueueTargets;
    answer: Enqueued;
  };
  /** Queue items of all datasets, and of traces, spans and sessions, oldest first: `GET /api/queue`. */
  listQueue: {
    query?: {
      /** Who reads, so that they see their own blind answers: in local mode alone, where nobody signs in. */
      reviewer?: string;
      status?: 'pending' | 'claimed' | 'completed';
      claimed_by?: string;
      /** `true`: items of traces, spans and sessions alone. */
      targets?: boolean;
      datapoint_id?: string;
      /** Items of the trace and of its spans. */
      trace_id?: string;
      span_id?: string;
      session_id?: string;
      group_id?: string;
      /** Items that are assigned to this reviewer. */
      assignee?: string;
      /** Items whose form has this score. */
      form?: string;
      /** `true`: items of complete groups whose answers differ. */
      disagreement?: boolean;
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: QueueItemList;
  };
  /** Claim the pending item of a trace, a span or a session that is next: `POST /api/queue/next`. */
  claimNextTarget: {
    body?: ClaimNext;
    answer: QueueItem;
  };
  /** How far the review of traces, spans and sessions is, by reviewer: `GET /api/queue/progress`. */
  getTargetProgress: {
    answer: QueueProgress;
  };
  /** How far the reviewers of traces, spans and sessions agree: `GET /api/queue/agreement`. */
  getTargetAgreement: {
    query?: {
      /** The score; all of them when left out. */
      name?: string;
      /** That of the score's definition when left out. */
      level?: 'nominal' | 'ordinal' | 'interval';
      /** Reviews that were submitted then or later. */
      since?: string;
    };
    answer: Agreement;
  };
  /** A queue item: `GET /api/queue/{item_id}`. */
  getQueueItem: {
    path: {
      item_id: string;
    };
    query?: {
      /** Who reads, so that they see their own blind answers: in local mode alone, where nobody signs in. */
      reviewer?: string;
    };
    answer: QueueItem;
  };
  /** Claim an item for review: `POST /api/queue/{item_id}/claim`. */
  claimQueueItem: {
    path: {
      item_id: string;
    };
    body?: Claim;
    answer: QueueItem;
  };
  /** Give a claimed item back: `POST /api/queue/{item_id}/release`. */
  releaseQueueItem: {
    path: {
      item_id: string;
    };
    answer: QueueItem;
  };
  /** Complete a claimed item: `POST /api/queue/{item_id}/submit`.
   * `apply` changes the datapoint, so that it needs the scope `write`. */
  submitQueueItem: {
    path: {
      item_id: string;
    };
    query?: {
      /** Also write the edited data back to the datapoint, where it is a valid kind. */
      apply?: boolean;
    };
    body?: Submit;
    answer: SubmittedItem;
  };
  /** How many items each queue has, by status: `GET /api/count/queue`. */
  countQueue: {
    answer: QueueCounts;
  };
  /** How far the review of a dataset is, by reviewer: `GET /api/datasets/{id}/queue/progress`. */
  getQueueProgress: {
    path: {
      id: string;
    };
    answer: QueueProgress;
  };
  /** How far the reviewers of a dataset agree: `GET /api/datasets/{id}/agreement`. */
  getAgreement: {
    path: {
      id: string;
    };
    query?: {
      /** The score; all of them when left out. */
      name?: string;
      /** That of the score's definition when left out. */
      level?: 'nominal' | 'ordinal' | 'interval';
      /** Reviews that were submitted then or later. */
      since?: string;
    };
    answer: Agreement;
  };
  /** Put datapoints into the review queue: `POST /api/datasets/{id}/queue`. */
  enqueueDatapoints: {
    path: {
      id: string;
    };
    body: Enqueue;
    answer: Enqueued;
  };
  /** Queue items of a dataset, oldest first: `GET /api/datasets/{id}/queue`. */
  listDatasetQueue: {
    path: {
      id: string;
    };
    query?: {
      /** Who reads, so that they see their own blind answers: in local mode alone, where nobody signs in. */
      reviewer?: string;
      status?: 'pending' | 'claimed' | 'completed';
      claimed_by?: string;
      /** `true`: items of traces, spans and sessions alone. */
      targets?: boolean;
      datapoint_id?: string;
      /** Items of the trace and of its spans. */
      trace_id?: string;
      span_id?: string;
      session_id?: string;
      group_id?: string;
      /** Items that are assigned to this reviewer. */
      assignee?: string;
      /** Items whose form has this score. */
      form?: string;
      /** `true`: items of complete groups whose answers differ. */
      disagreement?: boolean;
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: QueueItemList;
  };
  /** Claim the oldest pending item: `POST /api/datasets/{id}/queue/next`. */
  claimNextQueueItem: {
    path: {
      id: string;
    };
    body?: ClaimNext;
    answer: QueueItem;
  };
  /** Store a provider connection: `POST /api/provider-connections`. */
  createConnection: {
    body: CreateConnection;
    answer: Connection;
  };
  /** Provider connections, newest first: `GET /api/provider-connections`. */
  listConnections: {
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: ConnectionList;
  };
  /** A provider connection: `GET /api/provider-connections/{id}`. */
  getConnection: {
    path: {
      id: string;
    };
    answer: Connection;
  };
  /** Change a provider connection: `PUT /api/provider-connections/{id}`. */
  updateConnection: {
    path: {
      id: string;
    };
    body?: UpdateConnection;
    answer: Connection;
  };
  /** Delete a provider connection: `DELETE /api/provider-connections/{id}`. */
  deleteConnection: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** Try a provider connection: `POST /api/provider-connections/{id}/test`.
   * Asks for the list of models; 200 whether or not it succeeds. */
  testConnection: {
    path: {
      id: string;
    };
    answer: ConnectionTest;
  };
  /** Start an eval run: `POST /api/datasets/{id}/eval`. */
  startEval: {
    path: {
      id: string;
    };
    body: StartEval;
    answer: StartedEval;
  };
  /** Eval runs of a dataset, newest first: `GET /api/datasets/{id}/eval`. */
  listEvals: {
    path: {
      id: string;
    };
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      status?: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
      execution?: 'server' | 'external';
      /** Whether all gates hold. */
      passed?: boolean;
      name?: string;
      /** Runs that were started together. */
      group_id?: string;
      /** `metadata.KEY=VALUE`: runs that have it; may come for several keys. */
      metadata?: {
        [key: string]: string;
      };
      /** Runs that this one can be compared with: completed, scored alike, executed alike, not all failed. */
      baseline_for?: string;
      /** With `baseline_for`: runs that were scored differently, too. */
      allow_different_scoring?: boolean;
    };
    answer: EvalRunList;
  };
  /** Start an eval run for each of several models and prompts: `POST /api/datasets/{id}/eval/matrix`.
   * All of them are started, or none. */
  startEvalMatrix: {
    path: {
      id: string;
    };
    body: StartMatrix;
    answer: StartedMatrix;
  };
  /** What became of a datapoint in the eval runs that processed it, newest first: `GET /api/datasets/{id}/datapoints/{dp_id}/results`. */
  listDatapointResults: {
    path: {
      id: string;
      dp_id: string;
    };
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: DatapointRunResultList;
  };
  /** Results of runs side by side: `GET /api/datasets/{id}/compare`. */
  compareEvals: {
    path: {
      id: string;
    };
    query: {
      /** Ids of 1 to 4 runs of the dataset, separated by commas. */
      runs: string;
    };
    answer: EvalComparison;
  };
  /** Items of runs side by side, page by page: `GET /api/datasets/{id}/compare/items`. */
  compareEvalItems: {
    path: {
      id: string;
    };
    query: {
      /** Ids of 1 to 4 runs of the dataset, separated by commas. */
      runs: string;
      /** One of `runs`; the first when left out. */
      baseline?: string;
      /** The item of this datapoint alone; filters, order and cursor do not count then. */
      datapoint_id?: string;
      only?: 'all' | 'regressed' | 'improved' | 'changed' | 'failed';
      /** `samples`: all tries of each run. */
      include?: 'samples';
      /** `regression`: the largest fall first, what cannot be compared last. */
      order?: 'regression' | 'position';
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: ComparedItemList;
  };
  /** Eval runs of all datasets, newest first: `GET /api/eval`. */
  listEvalRuns: {
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      dataset_id?: string;
      status?: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
      execution?: 'server' | 'external';
      /** Whether all gates hold. */
      passed?: boolean;
      name?: string;
      /** Runs that were started together. */
      group_id?: string;
      /** `metadata.KEY=VALUE`: runs that have it; may come for several keys. */
      metadata?: {
        [key: string]: string;
      };
      /** `created_at` unless given; runs without a score come last. */
      sort_by?: 'created_at' | 'name' | 'score';
      /** `desc` unless given. */
      sort_order?: 'asc' | 'desc';
    };
    answer: EvalRunList;
  };
  /** An eval run with all its items, or without: `GET /api/eval/{id}`. */
  getEval: {
    path: {
      id: string;
    };
    query?: {
      /** `none`: `result_items` is empty. */
      items?: 'all' | 'none';
    };
    answer: EvalRun;
  };
  /** Delete an eval run and its results: `DELETE /api/eval/{id}`. */
  deleteEval: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** Items of an eval run, page by page, or as a table: `GET /api/eval/{id}/items`. */
  listEvalItems: {
    path: {
      id: string;
    };
    query?: {
      /** The item of this datapoint alone; filters, order and cursor do not count then. */
      datapoint_id?: string;
      status?: 'pending' | 'running' | 'completed' | 'failed';
      /** Items with this score or a lower one. */
      score_max?: number;
      /** Processed items whose `passed` is this: `false` where a sample has scores that do not pass. */
      passed?: boolean;
      /** Processed items of which some samples pass and others do not; `false`: all other processed items. */
      flaky?: boolean;
      /** `cost` counts judges, too. Items without the value come last. */
      sort_by?: 'order' | 'score' | 'latency' | 'cost';
      sort_order?: 'asc' | 'desc';
      /** `kind`, `samples` or both, separated by a comma. */
      include?: string;
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** `csv`, `parquet`: all items as a table, whatever the `limit`; with `include=samples` a row a sample. */
      format?: 'json' | 'csv' | 'parquet';
    };
    answer: EvalItemList;
  };
  /** Cancel a running eval run: `POST /api/eval/{id}/cancel`.
   * Items in flight still finish and are kept. */
  cancelEval: {
    path: {
      id: string;
    };
    answer: EvalRunSummary;
  };
  /** Have an eval run that is over go on with some of its samples: `POST /api/eval/{id}/retry`.
   * What had become of them is kept. The run is pending in the answer, and ends like any other. */
  retryEval: {
    path: {
      id: string;
    };
    body: RetryEval;
    answer: EvalRunSummary;
  };
  /** What the scores of an eval run are worth, by themselves and beside a baseline: `GET /api/eval/{id}/statistics`. */
  getEvalStatistics: {
    path: {
      id: string;
    };
    query?: {
      /** Up to 16 numbers up to `repeats`, separated by commas; powers of two and `repeats` when left out. */
      k?: string;
      /** A top-level member of the datapoints' `metadata`: those with the same value are one cluster. */
      cluster_by?: string;
      /** Such a member, up to 4 times: statistics of the datapoints with the same values, too. */
      group_by?: string[];
      /** `zero`: a failed sample counts as 0. */
      failed_as?: 'excluded' | 'zero';
      /** A run of the same dataset to compare with. */
      baseline?: string;
      alpha?: number;
      /** Whether a run that was scored differently from its baseline gets a verdict all the same. */
      allow_different_scoring?: boolean;
    };
    answer: EvalStatistics;
  };
  /** How far an eval run passes and fails what the reviewers of its datapoints do: `GET /api/eval/{id}/judge-agreement`. */
  getJudgeAgreement: {
    path: {
      id: string;
    };
    query?: {
      /** The reviewers' score; needed where they answer several. */
      name?: string;
      /** The scorer of the run; what all of them come to when left out. */
      scorer?: string;
    };
    answer: JudgeAgreement;
  };
  /** What the metadata of an eval run's datapoints have: its results can be grouped by it: `GET /api/eval/{id}/metadata`. */
  getEvalMetadata: {
    path: {
      id: string;
    };
    answer: EvalMetadata;
  };
  /** Other gates for an eval run: `POST /api/eval/{id}/gates`.
   * A run that is over is judged at once, one that goes on at its end. */
  setEvalGates: {
    path: {
      id: string;
    };
    body: SetEvalGates;
    answer: EvalRunSummary;
  };
  /** Add results to an external eval run: `POST /api/eval/{id}/results`.
   * Each result on its own; 200 also when some were rejected. Sending it again changes nothing. The run completes with the last. */
  addEvalResults: {
    path: {
      id: string;
    };
    body: AddEvalResults;
    answer: AddedEvalResults;
  };
  /** Complete an external eval run: `POST /api/eval/{id}/complete`.
   * Samples without a result stay pending. The run is still running in the answer where scorers of the server have results to look at. */
  completeEval: {
    path: {
      id: string;
    };
    answer: EvalRunSummary;
  };
  /** Have live traffic scored by a rule: `POST /api/scoring-rules`. */
  createScoringRule: {
    body: CreateScoringRule;
    answer: ScoringRule;
  };
  /** Scoring rules, oldest first: `GET /api/scoring-rules`. */
  listScoringRules: {
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: ScoringRuleList;
  };
  /** A scoring rule, and what it did within 24 hours: `GET /api/scoring-rules/{id}`. */
  getScoringRule: {
    path: {
      id: string;
    };
    answer: ScoringRule;
  };
  /** Change a scoring rule: `PUT /api/scoring-rules/{id}`. */
  updateScoringRule: {
    path: {
      id: string;
    };
    body?: UpdateScoringRule;
    answer: ScoringRule;
  };
  /** Delete a scoring rule; its scores stay: `DELETE /api/scoring-rules/{id}`. */
  deleteScoringRule: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** Why a rule scored a span, a trace or a session, or did not: `GET /api/scoring-rules/{id}/explain`. */
  explainScoring: {
    path: {
      id: string;
    };
    query?: {
      span_id?: string;
      trace_id?: string;
      session_id?: string;
    };
    answer: ScoringExplanation;
  };
  /** Have a rule judge something at once: `POST /api/scoring-rules/{id}/test`.
   * Asks the judge, which costs what it costs; nothing is stored. */
  testScoringRule: {
    path: {
      id: string;
    };
    body?: TestScoringRule;
    answer: ScoringTest;
  };
  /** Have a rule judge what ended before it: `POST /api/scoring-rules/{id}/backfill`. */
  backfillScoringRule: {
    path: {
      id: string;
    };
    body?: BackfillScoring;
    answer: ScoringBackfillAnswer;
  };
  /** Make a call of a model, recorded or new, and stream the answer: `POST /api/try`.
   * The answer comes as it is made. Each call is recorded as a span of a trace with the tag `try`; a client that leaves ends the call. */
  tryCall: {
    body: TryCall;
    answer: Response;
  };
  /** Make recorded calls again with something else: `POST /api/replays`.
   * The calls become a dataset, what was recorded the results of an external run, and the run beside it is an ordinary one. */
  startReplay: {
    body: StartReplay;
    answer: Replay;
  };
  /** Replays, newest first: `GET /api/replays`. */
  listReplays: {
    query?: {
      /** The replay of this run, be it the recorded one. */
      run_id?: string;
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: ReplayList;
  };
  /** A replay: `GET /api/replays/{id}`. */
  getReplay: {
    path: {
      id: string;
    };
    answer: Replay;
  };
  /** Sums over all traces and spans, and by model: `GET /api/analytics/summary`. */
  getAnalyticsSummary: {
    answer: {
      total_traces: number;
      total_spans: number;
      /** Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is. */
      total_cost: number | null;
      /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
      unpriced_count: number;
      total_tokens: number;
      avg_latency_ms: number | null;
      error_rate: number;
      models: {
        [key: string]: {
          count: number;
          /** Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is. */
          cost: number | null;
          tokens: number;
          /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
          unpriced_count: number;
        };
      };
    };
  };
  /** Sums by minute, hour, day or week of the spans that started in a range: `POST /api/analytics`.
   * Buckets begin on UTC boundaries, weeks on Monday, oldest first. `since` is inclusive, `until` exclusive. Buckets without spans come with `fill` only: from `since` to `until`, or the first and last bucket with spans. By minute `since` and `until` are needed, no more than 24 hours apart. `of` says what is counted: spans, LLM calls, or traces, whose latency is from their start to their last end. `split_by` adds the sums of each key in each bucket; by user, session, tag, trace name or a key of the metadata of traces, of a user, and of traces all of the range is read, which `limits.analytics_scan_rows` bounds. `percentiles` adds those of the latency, exact to two in a hundred. */
  queryAnalytics: {
    body?: {
      /**
       * ISO 8601 with any offset; UTC when there is none.
       * @example 2026-11-20T09:00:00.000Z
       */
      since?: string | null;
      /**
       * ISO 8601 with any offset; UTC when there is none.
       * @example 2026-11-20T09:00:00.000Z
       */
      until?: string | null;
      /** `day` when left out; `auto` is what gives a range some thirty buckets, at most about 200. */
      group_by?: 'minute' | 'hour' | 'day' | 'week' | 'auto' | null;
      /** What is counted: `spans` unless given. */
      of?: 'spans' | 'llm_calls' | 'traces' | null;
      model?: string | null;
      provider?: string | null;
      /** Those of traces of this user alone. */
      user_id?: string | null;
      fill?: boolean | null;
      /** Each bucket then has its sums by this, too. A trace counts once for each of its tags. */
      split_by?: ('model' | 'provider' | 'status' | 'user' | 'session' | 'tag' | 'trace_name') | string | null;
      /** Keys with sums of their own: those that cost most in the range. 8 unless given. */
      top?: number | null;
      /** Whether buckets have percentiles of the latency. */
      percentiles?: boolean | null;
      /** Whether the answer has the sums of the whole range, and those of the period before it. */
      totals?: boolean | null;
    };
    answer: {
      buckets: {
        /** Start of the bucket, also when the range begins later. */
        timestamp: string;
        /** How many are counted: spans, LLM calls or traces. */
        span_count: number;
        /** Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is. */
        cost: number | null;
        /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
        unpriced_count: number;
        tokens: number;
        /** Those of inputs, cached ones included; `null` of traces. */
        input_tokens: number | null;
        /** `null` of traces. */
        output_tokens: number | null;
        /** Those of inputs that were read from a cache; `null` of traces. */
        cached_input_tokens: number | null;
        avg_latency_ms: number | null;
        /** How many have ended, which latencies are of. */
        finished_count: number;
        error_count: number;
        /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
        p50_ms?: number | null;
        /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
        p95_ms?: number | null;
        /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
        p99_ms?: number | null;
        /** With `split_by`: the sums of each key that is there; the key that costs most in the range first. */
        series?: {
          /** Model, user, tag …; `null` for all others together, and for those that have none. */
          key: string | null;
          /** How many are counted: spans, LLM calls or traces. */
          span_count: number;
          /** Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is. */
          cost: number | null;
          /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
          unpriced_count: number;
          tokens: number;
          /** Those of inputs, cached ones included; `null` of traces. */
          input_tokens: number | null;
          /** `null` of traces. */
          output_tokens: number | null;
          /** Those of inputs that were read from a cache; `null` of traces. */
          cached_input_tokens: number | null;
          avg_latency_ms: number | null;
          /** How many have ended, which latencies are of. */
          finished_count: number;
          error_count: number;
          /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
          p50_ms?: number | null;
          /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
          p95_ms?: number | null;
          /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
          p99_ms?: number | null;
        }[];
      }[];
      /** With `group_by: auto`: what it was. */
      group_by?: 'minute' | 'hour' | 'day' | 'week';
      /** With `totals`: the sums of the whole range. */
      totals?: {
        /** How many are counted: spans, LLM calls or traces. */
        span_count: number;
        /** Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is. */
        cost: number | null;
        /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
        unpriced_count: number;
        tokens: number;
        /** Those of inputs, cached ones included; `null` of traces. */
        input_tokens: number | null;
        /** `null` of traces. */
        output_tokens: number | null;
        /** Those of inputs that were read from a cache; `null` of traces. */
        cached_input_tokens: number | null;
        avg_latency_ms: number | null;
        /** How many have ended, which latencies are of. */
        finished_count: number;
        error_count: number;
        /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
        p50_ms?: number | null;
        /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
        p95_ms?: number | null;
        /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
        p99_ms?: number | null;
        /** With `split_by`: the sums of each key that is there; the key that costs most in the range first. */
        series?: {
          /** Model, user, tag …; `null` for all others together, and for those that have none. */
          key: string | null;
          /** How many are counted: spans, LLM calls or traces. */
          span_count: number;
          /** Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is. */
          cost: number | null;
          /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
          unpriced_count: number;
          tokens: number;
          /** Those of inputs, cached ones included; `null` of traces. */
          input_tokens: number | null;
          /** `null` of traces. */
          output_tokens: number | null;
          /** Those of inputs that were read from a cache; `null` of traces. */
          cached_input_tokens: number | null;
          avg_latency_ms: number | null;
          /** How many have ended, which latencies are of. */
          finished_count: number;
          error_count: number;
          /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
          p50_ms?: number | null;
          /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
          p95_ms?: number | null;
          /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
          p99_ms?: number | null;
        }[];
      };
      /** With `totals`: the sums of as long a time before `since`; `null` without both ends. */
      previous_totals?: {
        /** How many are counted: spans, LLM calls or traces. */
        span_count: number;
        /** Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is. */
        cost: number | null;
        /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
        unpriced_count: number;
        tokens: number;
        /** Those of inputs, cached ones included; `null` of traces. */
        input_tokens: number | null;
        /** `null` of traces. */
        output_tokens: number | null;
        /** Those of inputs that were read from a cache; `null` of traces. */
        cached_input_tokens: number | null;
        avg_latency_ms: number | null;
        /** How many have ended, which latencies are of. */
        finished_count: number;
        error_count: number;
        /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
        p50_ms?: number | null;
        /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
        p95_ms?: number | null;
        /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
        p99_ms?: number | null;
      } | null;
      /** With `percentiles`: how far each lies from the exact one at most, as a part of it. */
      percentile_error?: number;
    };
  };
  /** Sums of spans by any one or two keys, and by time: `POST /api/analytics/query`.
   * Count, cost, tokens, errors and latency of the spans that match `filters`, by the values of up to two of `group_by`: the `top` groups with most of `order_by`, all others together in `other`, and all in `total`. A span counts once for each tag of its trace. By model, provider and status, with no other filters than these, a range and `kind: llm_call`, sums that are kept answer; otherwise the spans are read, which `limits.analytics_scan_rows` and `limits.analytics_scan_seconds` bound. */
  queryAnalyticsGroups: {
    body?: {
      /** The filters of `GET /api/spans`, `since` and `until` among them. */
      filters?: {
        ids?: string[];
        trace_id?: string;
        parent_id?: string;
        /** Spans of traces of this session. */
        session_id?: string;
        /** Spans of traces of this user. */
        user_id?: string;
        /** Spans of traces with all of these tags. */
        tag?: string[];
        /** `kind.type`. */
        kind?: string;
        model?: string;
        provider?: string;
        status?: 'running' | 'completed' | 'failed';
        /**
         * Spans that started then or later.
         * @example 2026-11-20T09:00:00.000Z
         */
        since?: string;
        /**
         * Spans that started before.
         * @example 2026-11-20T09:00:00.000Z
         */
        until?: string;
        /** A literal substring of the name. */
        name_contains?: string;
        /** A literal substring of input or output. */
        text_contains?: string;
        input_contains?: string;
        output_contains?: string;
        /** A literal substring of the error of a failed span. */
        error_contains?: string;
        duration_min?: number;
        duration_max?: number;
        tokens_min?: number;
        cost_min?: number;
        /** Spans with all of these values in their own metadata. */
        metadata?: {
          [key: string]: string;
        };
        /** Conditions such as `NAME<0.5` or `NAME:LABEL`; all must match. */
        score?: string[];
      } | null;
      /** Up to two keys: their values together make a group. */
      group_by?:
        | (('model' | 'provider' | 'kind' | 'status' | 'name' | 'tag' | 'user' | 'session' | 'trace_name') | string)[]
        | null;
      /** Each group then has its sums by time, too; `auto` is what gives a range some thirty buckets. */
      bucket?: 'minute' | 'hour' | 'day' | 'week' | 'auto' | null;
      /** Groups with most of it come first: `cost` unless given. */
      order_by?:
        | 'count'
        | 'cost'
        | 'tokens'
        | 'input_tokens'
        | 'output_tokens'
        | 'avg_latency'
        | 'errors'
        | 'error_rate'
        | 'score_mean'
        | null;
      /** Groups with sums of their own. 10 unless given. */
      top?: number | null;
      /** Whether there are percentiles of the latency. */
      percentiles?: boolean | null;
      /** Whether there are percentiles of the time to the first token. */
      first_token?: boolean | null;
      /** The name of the scores whose number and mean come, too. */
      score?: string | null;
    };
    answer: AnalyticsGroups;
  };
  /** Numbers of traces and spans: `GET /api/stats`. */
  getStats: {
    answer: {
      trace_count: number;
      span_count: number;
    };
  };
  /** Make an alert: `POST /api/alerts`. */
  createAlert: {
    body: CreateAlert;
    answer: Alert;
  };
  /** Alerts, oldest first: `GET /api/alerts`. */
  listAlerts: {
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: AlertList;
  };
  /** An alert: `GET /api/alerts/{id}`. */
  getAlert: {
    path: {
      id: string;
    };
    answer: Alert;
  };
  /** Change an alert: `PUT /api/alerts/{id}`. */
  updateAlert: {
    path: {
      id: string;
    };
    body?: UpdateAlert;
    answer: Alert;
  };
  /** Delete an alert with its history: `DELETE /api/alerts/{id}`. */
  deleteAlert: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** Changes of state of the last 30 days, newest first: `GET /api/alerts/{id}/history`. */
  listAlertHistory: {
    path: {
      id: string;
    };
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: AlertHistory;
  };
  /** What evaluations find at moments up to now: `GET /api/alerts/{id}/series`.
   * Of what is recorded by now, each of the window before its moment. */
  getAlertSeries: {
    path: {
      id: string;
    };
    answer: AlertSeries;
  };
  /** What an evaluation finds now: `POST /api/alerts/{id}/test`.
   * Nothing is kept, and nothing is sent. */
  testAlert: {
    path: {
      id: string;
    };
    answer: AlertEvaluation;
  };
  /** Store where alerts are sent to: `POST /api/alert-channels`. */
  createAlertChannel: {
    body: CreateAlertChannel;
    answer: AlertChannel;
  };
  /** Channels of alerts, oldest first: `GET /api/alert-channels`. */
  listAlertChannels: {
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: AlertChannelList;
  };
  /** A channel of alerts: `GET /api/alert-channels/{id}`. */
  getAlertChannel: {
    path: {
      id: string;
    };
    answer: AlertChannel;
  };
  /** Change a channel of alerts: `PUT /api/alert-channels/{id}`. */
  updateAlertChannel: {
    path: {
      id: string;
    };
    body?: UpdateAlertChannel;
    answer: AlertChannel;
  };
  /** Delete a channel of alerts with its deliveries: `DELETE /api/alert-channels/{id}`. */
  deleteAlertChannel: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** What a channel was sent in the last 30 days, newest first: `GET /api/alert-channels/{id}/deliveries`. */
  listAlertDeliveries: {
    path: {
      id: string;
    };
    query?: {
      alert_id?: string;
      status?: 'pending' | 'delivered' | 'failed';
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: AlertDeliveryList;
  };
  /** Send a channel a message: `POST /api/alert-channels/{id}/test`. */
  testAlertChannel: {
    path: {
      id: string;
    };
    answer: AlertChannelTest;
  };
  /** Saved view: make one: `POST /api/views`. */
  createView: {
    body: CreateView;
    answer: SavedView;
  };
  /** Saved views, oldest first: `GET /api/views`. */
  listViews: {
    query?: {
      page?: 'traces' | 'spans' | 'sessions' | 'users' | 'analytics' | 'datasets' | 'evaluations' | 'events';
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: SavedViewList;
  };
  /** Saved view: read one: `GET /api/views/{id}`. */
  getView: {
    path: {
      id: string;
    };
    answer: SavedView;
  };
  /** Saved view: change one: `PUT /api/views/{id}`. */
  updateView: {
    path: {
      id: string;
    };
    body?: UpdateView;
    answer: SavedView;
  };
  /** Saved view: delete one: `DELETE /api/views/{id}`. */
  deleteView: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** Board: make one: `POST /api/boards`. */
  createBoard: {
    body: CreateBoard;
    answer: Board;
  };
  /** Boards, oldest first: `GET /api/boards`. */
  listBoards: {
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
      /** `true`: hidden boards, too. */
      hidden?: boolean;
    };
    answer: BoardList;
  };
  /** Board: read one: `GET /api/boards/{id}`. */
  getBoard: {
    path: {
      id: string;
    };
    answer: Board;
  };
  /** Board: change one: `PUT /api/boards/{id}`. */
  updateBoard: {
    path: {
      id: string;
    };
    body?: UpdateBoard;
    answer: Board;
  };
  /** Board: delete one: `DELETE /api/boards/{id}`. */
  deleteBoard: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** Comment on a trace, span, datapoint or result: `POST /api/comments`. */
  createComment: {
    body: CreateComment;
    answer: Comment;
  };
  /** Comments, oldest first: `GET /api/comments`. */
  listComments: {
    query?: {
      /** Comments on a trace and on its spans are those with its id here. */
      parent_id?: string;
      target_type?: 'trace' | 'span' | 'datapoint' | 'result';
      target_id?: string;
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: CommentList;
  };
  /** Change the text of one's own comment: `PUT /api/comments/{id}`. */
  updateComment: {
    path: {
      id: string;
    };
    body: UpdateComment;
    answer: Comment;
  };
  /** Delete one's own comment, as an administrator any: `DELETE /api/comments/{id}`. */
  deleteComment: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** Make a link that opens a trace without signing in: `POST /api/shares`. */
  createShare: {
    body: CreateShare;
    answer: ShareCreated;
  };
  /** Links that open a trace: `GET /api/shares`. */
  listShares: {
    query?: {
      /** Items of a page; a page of large items may end before. */
      limit?: number;
      /** `next_cursor` of the page before. */
      cursor?: string;
    };
    answer: ShareList;
  };
  /** Revoke a link: `DELETE /api/shares/{id}`. */
  deleteShare: {
    path: {
      id: string;
    };
    answer: Deleted;
  };
  /** The trace that a link opens, its spans as outlines: `GET /api/shared/{token}`. */
  getSharedTrace: {
    path: {
      token: string;
    };
    query?: {
      /** Characters of each text that is previewed. */
      preview?: number;
    };
    answer: TraceSpans | TraceOutline;
  };
  /** A span of the trace that a link opens, with its cost: `GET /api/shared/{token}/spans/{id}`. */
  getSharedSpan: {
    path: {
      token: string;
      id: string;
    };
    answer: ReadSpan;
  };
  /** Exports everything of the project as one file: `GET /api/export/json`.
   * Traces, spans, datasets with datapoints and capture rules, connections without their keys, eval runs and queue items. Streamed as it is read; an error on the way cuts it off. `POST /api/import/json` takes it back. */
  exportJson: {
    query?: {
      /** Exports this trace and its spans alone. */
      trace_id?: string;
    };
    answer: Export;
  };
  /** A trace as one HTML file that opens without a server: `GET /api/traces/{id}/bundle`.
   * The page of the trace with its texts, scores and datapoints; other traces may be in the same file. It asks nothing of any server. `POST /api/import/bundle` takes it in. */
  getTraceBundle: {
    path: {
      id: string;
    };
    query?: {
      /** Masks all texts by the rules that the project has now; refused where it has none. */
      mask?: boolean;
      /** Ids of other traces for the same file, up to 99. */
      with?: string[];
    };
    answer: Response;
  };
  /** Imports the traces of one HTML file: `POST /api/import/bundle`.
   * Takes traces, spans and scores of a file that `GET /api/traces/:id/bundle` made, by their ids, with the tag `imported`; sending it again changes nothing. A file of which a part was changed imports nothing. */
  importBundle: {
    body: FileBody;
    answer: ImportBundleResult;
  };
  /** Imports the file of an export: `POST /api/import/json`.
   * Upserts by id: what exists takes the values of the file, nothing is deleted, and sending the file again changes nothing. A file with a fault imports nothing. */
  importJson: {
    body: object | FileBody;
    answer: ImportJsonResult;
  };
  /** Finished spans, best first, by words, by meaning or by both: `POST /api/search`.
   * Cloud mode with a search index. Spans are found soon after they finish. */
  searchSpans: {
    body: Search;
    answer: SearchAnswer | SearchOutlineAnswer;
  };
  /** Tools for agents, by the Model Context Protocol: `POST /mcp`.
   * Stateless: every message stands by itself, and there are no sessions. A tool does what its caller may do over HTTP, and is shown to those alone who may. */
  callMcp: {
    body: McpMessage;
    answer: McpAnswer;
  };
}

/** A moment in UTC, such as `2026-11-20T09:00:00.000Z`. */
export type Timestamp = string;

/** RFC 9457. */
export interface Problem {
  type: 'about:blank';
  title: string;
  status: number;
  /** One sentence for people; may change. */
  detail: string;
  /** Stable; programs decide by it. */
  code:
    | 'validation_failed'
    | 'malformed_json'
    | 'malformed_request'
    | 'invalid_cursor'
    | 'eval_run_not_running'
    | 'nothing_to_score'
    | 'nothing_to_evaluate'
    | 'nothing_to_replay'
    | 'nothing_to_retry'
    | 'unauthenticated'
    | 'insufficient_scope'
    | 'host_not_allowed'
    | 'target_not_allowed'
    | 'not_found'
    | 'trace_not_found'
    | 'span_not_found'
    | 'user_not_found'
    | 'score_not_found'
    | 'score_definition_not_found'
    | 'alert_not_found'
    | 'alert_channel_not_found'
    | 'session_not_found'
    | 'dataset_not_found'
    | 'datapoint_not_found'
    | 'capture_rule_not_found'
    | 'scoring_rule_not_found'
    | 'connection_not_found'
    | 'replay_not_found'
    | 'eval_run_not_found'
    | 'organization_not_found'
    | 'project_not_found'
    | 'key_not_found'
    | 'member_not_found'
    | 'view_not_found'
    | 'board_not_found'
    | 'comment_not_found'
    | 'share_not_found'
    | 'queue_item_not_found'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'id_conflict'
    | 'span_already_finished'
    | 'eval_run_not_external'
    | 'eval_run_not_over'
    | 'queue_item_already_claimed'
    | 'queue_item_already_reviewed'
    | 'queue_item_not_assigned'
    | 'queue_item_not_claimed'
    | 'queue_item_completed'
    | 'project_protected'
    | 'member_exists'
    | 'member_from_groups'
    | 'last_owner'
    | 'being_deleted'
    | 'connection_in_use'
    | 'cassette_miss'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'range_too_large'
    | 'cost_too_high'
    | 'http_required'
    | 'rate_limited'
    | 'too_many_wrong_credentials'
    | 'headers_too_large'
    | 'internal'
    | 'not_implemented'
    | 'search_not_available'
    | 'bad_gateway'
    | 'unavailable'
    | 'texts_unavailable';
  /** Also in the header `X-Request-Id` and in the log of the server. */
  request_id: string;
  /** One entry a fault; with `validation_failed` above all. */
  errors?: FieldError[];
}

export interface FieldError {
  /** From the root of the body or query: `spans[3].kind.model`. */
  path: string;
  message: string;
}

export interface Health {
  status: 'ok';
  /** Names the process; new at every start. */
  instance_id: string;
  /** Seconds. */
  uptime: number;
  version: string;
  mode: 'local' | 'cloud';
}

export interface Probe {
  status: 'ok';
}

export interface Capabilities {
  version: string;
  mode: 'local' | 'cloud';
  /** The features of this server: those that `features:` of its settings leaves. */
  features: string[];
  /** Where the gateway is; `null` where the server does not know. */
  gateway_url: string | null;
  providers: ProviderCapability[];
  scorers: ScorerCapability[];
  /** Modes of `POST /api/search` that this project has. */
  search_modes: ('text' | 'vector' | 'hybrid')[];
  /** How long traces are kept; `null`: for ever. */
  retention_days: number | null;
  /** Seconds after which a claim is released; `null`: never. */
  claim_timeout: number | null;
  /** Whether the server works on no eval runs (`evals.paused`): runs wait. */
  evals_paused: boolean;
  /** Whether a trace can be shared by a link (`sharing.enabled`, cloud mode). */
  sharing: boolean;
  /** Whether alerts can be sent as email (`alerts.smtp`). */
  alert_email: boolean;
  /** `null` where the feature is left out. */
  limits: {
    body_bytes: number;
    import_file_bytes: number | null;
    compared_runs: number | null;
  };
}

export interface ProviderCapability {
  name: string;
  /** Whether a connection of it must have a key. */
  needs_key: boolean;
  /** Whether a connection of it must have a `base_url`: there is no default. */
  needs_base_url: boolean;
  /** What a connection without `base_url` takes. */
  default_base_url: string | null;
}

export interface ScorerCapability {
  /** The name that `scoring` takes. */
  name: string;
  /** Whether it fails datapoints without an expected value. */
  needs_expected: boolean;
  /** Whether it compares with another run's answers: `baseline_run_id` is required. */
  needs_baseline: boolean;
  /** Whether it asks a model for each score: `judge` says which. */
  asks_judge: boolean;
  /** Whether that is a model of embeddings, so that `judge.model` is required. */
  embeds: boolean;
  /** Whether its scores are grades: a sample passes at 0.5 unless it is given another pass score. */
  is_graded: boolean;
  /** JSON Schema of `scoring_config`; `null` when it takes none. */
  config_schema: {
    [key: string]: unknown;
  } | null;
}

/** An OpenAPI 3.0 document. */
export type OpenApiDocument = {
  openapi: string;
  info: {
    [key: string]: unknown;
  };
  paths: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** The JSON of a `data:` line. */
export type Event =
  | {
      type: 'span_created' | 'span_completed' | 'span_failed';
      span: Span;
    }
  | {
      type: 'datapoint_created';
      datapoint: Datapoint;
    }
  | {
      type: 'queue_item_updated';
      item: QueueItem;
    }
  | {
      type: 'span_deleted';
      span_id: string;
    }
  | {
      type: 'trace_created';
      trace: Trace;
    }
  | {
      type: 'trace_deleted';
      trace_id: string;
    }
  | {
      type: 'dataset_created';
      dataset: Dataset;
    }
  | {
      type: 'dataset_deleted';
      dataset_id: string;
    }
  | {
      type: 'cleared';
    }
  | {
      type: 'eval_started';
      run_id: string;
      dataset_id: string;
    }
  | {
      type: 'eval_progress';
      run_id: string;
      progress: number;
      total: number;
      sample_progress: number;
      sample_total: number;
    }
  | {
      type: 'eval_completed';
      run_id: string;
    }
  | {
      type: 'eval_failed';
      run_id: string;
      error: string;
    }
  | {
      type: 'eval_cancelled';
      run_id: string;
    }
  | {
      type: 'capture_triggered';
      rule_id: string;
      span_id: string;
      datapoint_id: string;
    };

export interface Span {
  id: string;
  trace_id: string;
  parent_id: string | null;
  name: string;
  kind: SpanKind;
  /** Any JSON. */
  input: unknown;
  /** Any JSON. */
  output: unknown;
  status: SpanStatus;
  /** The message of the status `failed`. */
  error: string | null;
  started_at: Timestamp;
  ended_at: Timestamp | null;
  /** The caller's own members and, once the span is finished, `duration_ms`, `total_tokens`, `cost` and `cost_source`. */
  metadata: {
    [key: string]: unknown;
  };
}

/**
 * What a span is. Any `type` is kept whole; `llm_call` needs a `model`.
 * @example {
 *       "type": "llm_call",
 *       "model": "gpt-4o",
 *       "provider": "openai",
 *       "input_tokens": 12,
 *       "output_tokens": 34,
 *       "cost": 0.0004
 *     }
 */
export type SpanKind =
  | ({
      model: string;
      provider?: string | null;
      /** Tokens of the input, those read from and written to a cache included. */
      input_tokens?: number | null;
      /** Tokens of the output, those of reasoning included. */
      output_tokens?: number | null;
      /** Input tokens read from a cache. */
      cached_input_tokens?: number | null;
      /** Input tokens written to a cache. */
      cache_write_tokens?: number | null;
      /** Written tokens that are kept for an hour. */
      cache_write_1h_tokens?: number | null;
      reasoning_tokens?: number | null;
      input_audio_tokens?: number | null;
      output_audio_tokens?: number | null;
      input_image_tokens?: number | null;
      output_image_tokens?: number | null;
      /** Audio among the cached tokens. */
      cached_audio_tokens?: number | null;
      /** Images among the cached tokens. */
      cached_image_tokens?: number | null;
      web_search_requests?: number | null;
      /** What the provider served: `flex`, `priority`, `batch` … */
      service_tier?: string | null;
      /** Dollars; by the price table when left out. */
      cost?: number | null;
      type: 'llm_call';
    } & {
      [key: string]: unknown;
    })
  | ({
      /** Such as `custom`, `tool_call`, `retrieval`, `embedding`, `fs_read`, `fs_write`. */
      type: string;
    } & {
      [key: string]: unknown;
    });

export type SpanStatus =
  | ('running' | 'completed')
  | {
      failed: {
        error: string;
      };
    };

export interface Datapoint extends DatapointOutline {
  kind: DatapointKind;
}

/**
 * Exactly one of the two variants. Answers have every member of the variant.
 * @example {
 *       "Generic": {
 *         "input": "What is 2 + 2?",
 *         "expected_output": "4"
 *       }
 *     }
 */
export type DatapointKind =
  | {
      Generic: {
        /** The input of the task; any JSON. */
        input: unknown;
        /** Any JSON; an explicit `null` is no expected value. */
        expected_output?: unknown;
        /** Any JSON; the newest output of an eval run. */
        actual_output?: unknown;
        score?: number | null;
        metadata?: {
          [key: string]: unknown;
        } | null;
      } & {
        [key: string]: unknown;
      };
    }
  | {
      LlmConversation: {
        messages: ({
          role: string;
          /** Text, parts, an object, or nothing. */
          content?:
            | string
            | unknown[]
            | {
                [key: string]: unknown;
              }
            | null;
        } & {
          [key: string]: unknown;
        })[];
        expected?: string | null;
        metadata?: {
          [key: string]: unknown;
        } | null;
      } & {
        [key: string]: unknown;
      };
    };

export interface QueueItem extends QueueItemOutline {
  /** The datapoint's kind when it was enqueued; `null` where it is no datapoint that is reviewed. */
  original_data: DatapointKind | null;
  /** Any JSON. */
  edited_data: unknown;
}

export interface Trace {
  id: string;
  name: string | null;
  tags: string[];
  session_id: string | null;
  user_id: string | null;
  metadata: {
    [key: string]: unknown;
  };
  started_at: Timestamp;
  /** The latest end of the trace's spans; `null` while one runs or none has come. */
  ended_at: Timestamp | null;
}

export interface Dataset {
  id: string;
  name: string;
  description: string | null;
  datapoint_count: number;
  /** Raised by every change to the datapoints; a run's results raise none. */
  version: number;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** The JSON of a `data:` line of `view=outline`. */
export type EventOutline =
  | {
      type: 'span_created' | 'span_completed' | 'span_failed';
      span: SpanOutline;
    }
  | {
      type: 'datapoint_created';
      datapoint: DatapointOutline;
    }
  | {
      type: 'queue_item_updated';
      item: QueueItemOutline;
    }
  | {
      type: 'span_deleted';
      span_id: string;
    }
  | {
      type: 'trace_created';
      trace: Trace;
    }
  | {
      type: 'trace_deleted';
      trace_id: string;
    }
  | {
      type: 'dataset_created';
      dataset: Dataset;
    }
  | {
      type: 'dataset_deleted';
      dataset_id: string;
    }
  | {
      type: 'cleared';
    }
  | {
      type: 'eval_started';
      run_id: string;
      dataset_id: string;
    }
  | {
      type: 'eval_progress';
      run_id: string;
      progress: number;
      total: number;
      sample_progress: number;
      sample_total: number;
    }
  | {
      type: 'eval_completed';
      run_id: string;
    }
  | {
      type: 'eval_failed';
      run_id: string;
      error: string;
    }
  | {
      type: 'eval_cancelled';
      run_id: string;
    }
  | {
      type: 'capture_triggered';
      rule_id: string;
      span_id: string;
      datapoint_id: string;
    };

/** A span without its texts. */
export interface SpanOutline {
  id: string;
  trace_id: string;
  parent_id: string | null;
  name: string;
  /** The kind without its `attributes`. */
  kind: SpanKind;
  status: SpanStatus;
  /** The message of the status `failed`. */
  error: string | null;
  started_at: Timestamp;
  ended_at: Timestamp | null;
  /** `duration_ms`, `total_tokens`, `cost` and `cost_source` once the span is finished; members of the caller with `include=metadata` alone. */
  metadata: {
    [key: string]: unknown;
  };
  /** Bytes of the input as JSON; 0 when there is none. */
  input_bytes: number;
  /** Bytes of the output as JSON; 0 when there is none. */
  output_bytes: number;
  /** The beginning of the last user message, or of the input; `null` without `preview`. */
  input_preview: string | null;
  /** The beginning of the answer, or of the output; `null` without `preview`. */
  output_preview: string | null;
  /** With `include=scores` alone. */
  scores?: ScoreSums;
}

export interface ScoreSums {
  [key: string]: {
    count: number;
    /** The mean of the values; `null` where no score has one. */
    mean: number | null;
    /** How often each label was given. */
    labels: {
      [key: string]: number;
    };
  };
}

export interface DatapointOutline {
  id: string;
  dataset_id: string;
  source: 'manual' | 'span_export' | 'file_upload';
  source_span_id: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface QueueItemOutline {
  id: string;
  /** `null` of an item of a trace, a span or a session. */
  dataset_id: string | null;
  datapoint_id: string | null;
  status: 'pending' | 'claimed' | 'completed';
  claimed_by: string | null;
  /** What the reviewer was called when they claimed it; null where their credential has no name. */
  claimed_by_name: string | null;
  claimed_at: Timestamp | null;
  created_at: Timestamp;
  /** The trace that is reviewed, or that of the span. */
  trace_id?: string | null;
  span_id?: string | null;
  session_id?: string | null;
  selected_by?: string | null;
  /** Lower ones of a priority come first. */
  position?: number;
  /** Who may review it; anybody when empty. */
  assignees?: string[];
  adjudicate?: 'disagree' | null;
  adjudicators?: string[];
  /** Whether its answer is that of its group. */
  adjudicates?: boolean;
  /** The known answers, `[name, value, label]`; `null` where there are none, and as long as they are hidden. */
  gold?: (string | number | null)[][] | null;
  /** What the reviews of one datapoint have in common; `null` for a single one. */
  group_id?: string | null;
  /** From 1 within the group. */
  review_no?: number;
  reviews_required?: number;
  form?: string[];
  instructions?: string | null;
  priority?: number;
  blind?: boolean;
  /** When enough has been reviewed. */
  until?: {
    ci_width: number;
  } | null;
  /** The reviewer's answers; none while they are hidden. */
  scores?: {
    name: string;
    value: number | null;
    label: string | null;
    comment: string | null;
  }[];
  comment?: string | null;
  skipped?: boolean;
  completed_at?: Timestamp | null;
}

export interface CreateOrganization {
  name: string;
  /**
   * How long traces and spans are kept: starter 7, team 30, enterprise 90 days unless the settings say otherwise.
   * @default starter
   */
  plan?: 'starter' | 'team' | 'enterprise';
  /** Requests per second; the service's default when left out. */
  rate_limit?: number | null;
}

export interface Organization {
  id: string;
  name: string;
  /** How long traces and spans are kept: starter 7, team 30, enterprise 90 days unless the settings say otherwise. */
  plan: 'starter' | 'team' | 'enterprise';
  /** Requests per second. */
  rate_limit: number;
  /** Days that traces and spans are kept; `null`: for ever. */
  retention_days: number | null;
  /** What decides `retention_days`: the plan, or days that the operator gave this organization. */
  retention_by: 'plan' | 'organization';
  /** `deleting`: out of reach; it goes with all that it has. */
  state: 'active' | 'deleting';
  removal: Removal | null;
  created_at: Timestamp;
}

export interface Removal {
  requested_at: Timestamp;
  /** Rows of tables that were deleted so far. */
  rows_deleted: number;
  /** What is being deleted: a table, or what a feature keeps elsewhere. */
  step: string | null;
  /** Why it does not go on at the moment; it is tried again every ten seconds. `null` while it goes on. */
  last_error: string | null;
}

export interface OrganizationList {
  orgs: Organization[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** Only members given change. Plan, limit and retention are for the operator. */
export interface UpdateOrganization {
  name?: string;
  /** How long traces and spans are kept: starter 7, team 30, enterprise 90 days unless the settings say otherwise. */
  plan?: 'starter' | 'team' | 'enterprise';
  /** `null` takes the service's default. */
  rate_limit?: number | null;
  /** Days that traces and spans are kept whatever the plan says; `null`: for ever; `plan`: as the plan says. */
  retention_days?: number | 'plan' | null;
}

export interface CreateProject {
  name: string;
  /**
   * Days that traces and spans are kept; `null`: as long as the organization keeps them, which is the most.
   * @default null
   */
  retention_days?: number | null;
  /**
   * Whether the deletion of all traces, of datasets and of the project itself is refused.
   * @default false
   */
  protected?: boolean;
  /** Requests per second; the service's default when left out or `null`. */
  rate_limit?: number | null;
}

export interface Project {
  id: string;
  org_id: string;
  name: string;
  /** Days that traces and spans are kept; `null`: as long as the organization keeps them, which is the most. */
  retention_days: number | null;
  /** Whether the deletion of all traces, of datasets and of the project itself is refused. */
  protected: boolean;
  /** Requests per second; `null`: no limit of its own. */
  rate_limit: number | null;
  /** `deleting`: out of reach; it goes with all that it has. */
  state: 'active' | 'deleting';
  removal: Removal | null;
  created_at: Timestamp;
}

export interface ProjectList {
  projects: Project[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** Only members given change. */
export interface UpdateProject {
  name?: string;
  /** Days that traces and spans are kept; `null`: as long as the organization keeps them, which is the most. */
  retention_days?: number | null;
  /** Whether the deletion of all traces, of datasets and of the project itself is refused. */
  protected?: boolean;
  /** Requests per second; the service's default when left out or `null`. */
  rate_limit?: number | null;
}

export interface CreateMember {
  /** The address with which the person signs in at the identity provider. */
  email: string;
  /** `owner` and `admin` administer; `editor` changes; `reviewer` reads, claims and submits; `viewer` reads. */
  role: 'owner' | 'admin' | 'editor' | 'reviewer' | 'viewer';
  /** The one project that it is for; all of the organization when left out. */
  project_id?: string | null;
}

export interface Member {
  id: string;
  org_id: string;
  /** `null`: every project of the organization. */
  project_id: string | null;
  /** `owner` and `admin` administer; `editor` changes; `reviewer` reads, claims and submits; `viewer` reads. */
  role: 'owner' | 'admin' | 'editor' | 'reviewer' | 'viewer';
  /** `groups`: from the groups of the identity provider. */
  source: 'added' | 'groups';
  email: string | null;
  /** `null` until somebody with this e-mail address has signed in. */
  person: Person | null;
  /** What the identity provider said when it was asked last: it confirmed the person, or it did not; `unknown`: it was never asked, or not for a day. */
  provider_status: 'active' | 'removed' | 'unknown';
  /** When it was asked last; `null`: never. */
  provider_asked_at: Timestamp | null;
  created_at: Timestamp;
}

export interface Person {
  id: string;
  name: string | null;
  email: string | null;
}

export interface MemberList {
  members: Member[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface UpdateMember {
  /** `owner` and `admin` administer; `editor` changes; `reviewer` reads, claims and submits; `viewer` reads. */
  role: 'owner' | 'admin' | 'editor' | 'reviewer' | 'viewer';
}

export interface Deleted {
  id: string;
  deleted: true;
}

export interface CreateKey {
  name: string;
  scopes: ('read' | 'write' | 'ingest' | 'review' | 'admin' | 'feedback')[];
  /** The caller's own when left out. */
  project_id?: string | null;
  /**
   * When the key ends; when left out never, or after `access.key_max_age` where that is set.
   * @example 2026-11-20T09:00:00.000Z
   */
  expires_at?: string | null;
  /** Whether the key outlives the membership of the person who makes it. Keys of the operator, of JWTs and of keys of service accounts do, others when this is `true`. */
  service_account?: boolean;
  /** Requests per second; the service's default when left out or `null`. */
  rate_limit?: number | null;
}

export interface KeyCreated extends Key {
  /** Shown this once. */
  key: string;
}

export interface KeyList {
  keys: Key[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** An API key, without the key itself. */
export interface Key {
  id: string;
  name: string;
  /** How the key begins, to distinguish keys. */
  prefix: string;
  scopes: ('read' | 'write' | 'ingest' | 'review' | 'admin' | 'feedback')[];
  org_id: string;
  project_id: string;
  expires_at: Timestamp | null;
  /** `suspended`: its maker has no role in its project any more, or the identity provider does not confirm them; it is refused for as long as that is so. */
  state: 'active' | 'expired' | 'suspended';
  /** Whether it is valid whatever becomes of its maker. */
  service_account: boolean;
  /** Who made it; `null` where that is not known any more. */
  maker: {
    /** `person:<id>`, `key:<id>`, `jwt:<sub>`, `admin` or `cli`, as in the audit log. */
    id: string;
    name: string | null;
  } | null;
  /** To the minute; `null`: not yet. */
  last_used_at: Timestamp | null;
  /** Requests per second; `null`: no limit of its own. */
  rate_limit: number | null;
  created_at: Timestamp;
}

/** Only members given change. */
export interface UpdateKey {
  name?: string;
  /** Requests per second; the service's default when left out or `null`. */
  rate_limit?: number | null;
  /** Makes it a key of a service account, which does not end with its maker; there is no way back. */
  service_account?: true;
}

export interface Credential {
  kind: 'api_key' | 'jwt' | 'person' | 'admin_token';
  /** Id of the key, `sub` of the JWT, id of the person, `admin`. */
  id: string;
  org_id: string | null;
  project_id: string | null;
  scopes: ('read' | 'write' | 'ingest' | 'review' | 'admin' | 'feedback')[];
  expires_at: Timestamp | null;
}

export interface CreateBrowserSession {
  /** An API key or a JWT. */
  credential: string;
}

/** Nobody is signed in where `kind` is `null`. */
export interface BrowserSession {
  mode: 'local' | 'cloud';
  /** Whether the request shows a valid credential or session; `false` in local mode. */
  signed_in: boolean;
  kind: 'api_key' | 'jwt' | 'person' | 'admin_token' | null;
  /** Id of the key, `sub` of the JWT, id of the person, `admin`. */
  id: string | null;
  org: {
    id: string;
    name: string;
  } | null;
  project: {
    id: string;
    name: string;
  } | null;
  scopes: ('read' | 'write' | 'ingest' | 'review' | 'admin' | 'feedback')[];
  /** When the session ends at the latest, or the credential. */
  expires_at: Timestamp | null;
  /** Who signed in with an identity provider; `null` for keys and JWTs. */
  person: Person | null;
  /** The role of the person in the project. */
  role: 'owner' | 'admin' | 'editor' | 'reviewer' | 'viewer' | null;
  /** What the button says that leads to `GET /api/session/oidc`; `null` where none is set up. */
  identity_provider: {
    label: string;
  } | null;
}

export interface SignedOut {
  id: string;
  deleted: true;
  /** Where the browser signs out of the identity provider, too. */
  continue_at: string | null;
}

export interface SwitchProject {
  project_id: string;
}

export interface SessionProjects {
  projects: SessionProject[];
  count: number;
}

/** `role` is `null` for a key and a JWT. */
export interface SessionProject {
  id: string;
  name: string;
  org: {
    id: string;
    name: string;
  };
  /** `owner` and `admin` administer; `editor` changes; `reviewer` reads, claims and submits; `viewer` reads. */
  role: 'owner' | 'admin' | 'editor' | 'reviewer' | 'viewer' | null;
}

export type AuditAction =
  | 'org.created'
  | 'org.updated'
  | 'org.deletion_begun'
  | 'org.deleted'
  | 'project.created'
  | 'project.masking_changed'
  | 'project.updated'
  | 'project.deletion_begun'
  | 'project.deleted'
  | 'key.created'
  | 'key.updated'
  | 'key.suspended'
  | 'key.resumed'
  | 'key.deleted'
  | 'member.created'
  | 'member.updated'
  | 'member.deleted'
  | 'session.created'
  | 'session.updated'
  | 'session.deleted'
  | 'session.refused'
  | 'request.refused'
  | 'connection.created'
  | 'connection.updated'
  | 'connection.deleted'
  | 'trace.deleted'
  | 'traces.deleted'
  | 'span.deleted'
  | 'prices.apply_begun'
  | 'prices.applied'
  | 'dataset.deleted'
  | 'datapoint.deleted'
  | 'datapoints.deleted'
  | 'capture_rule.deleted'
  | 'eval.deleted'
  | 'score.deleted'
  | 'score_definition.deleted'
  | 'scoring_rule.created'
  | 'scoring_rule.updated'
  | 'scoring_rule.deleted'
  | 'scoring_rule.backfill_begun'
  | 'alert.created'
  | 'alert.updated'
  | 'alert.deleted'
  | 'alert_channel.created'
  | 'alert_channel.updated'
  | 'alert_channel.deleted'
  | 'view.deleted'
  | 'board.deleted'
  | 'comment.deleted'
  | 'share.created'
  | 'share.revoked'
  | 'trace.exported'
  | 'dataset.exported'
  | 'dataset.imported'
  | 'project.exported'
  | 'project.import_begun'
  | 'project.imported'
  | 'audit_log.exported'
  | 'retention.applied'
  | 'secrets.rotated';

export interface AuditLog {
  entries: AuditEntry[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface AuditEntry {
  id: string;
  at: Timestamp;
  /** `null`: the service's own. */
  org_id: string | null;
  project_id: string | null;
  /** `key:<id>`, `jwt:<sub>`, `admin`, `cli`, `service`, or `nobody` without a credential. */
  actor: string;
  /** What the actor was called then, such as the name of the key. */
  actor_name: string | null;
  /** Address of the client; `null` outside requests. */
  address: string | null;
  /** `X-Request-Id` of the request; `null` outside requests. */
  request_id: string | null;
  /** What was done, such as `key.created`. */
  action: string;
  target_id: string;
  /** What the target was called then. */
  target_name: string | null;
  details: {
    [key: string]: unknown;
  };
  /** Number in the chain of its organization, from 1 on, without a gap. */
  seq: number | null;
  /** `hash` of the entry before it in the chain. */
  prev_hash: string | null;
  /** SHA-256 of all of the entry; `null` for one that is about to join its chain. */
  hash: string | null;
}

export interface Masking {
  project_id: string;
  rules: MaskingRule[];
  /** `null` before the first change. */
  updated_at: Timestamp | null;
  /** What rules may name on this server. */
  maskers: Masker[];
}

export interface MaskingRule {
  masker: string;
  fields: ('input' | 'output' | 'metadata' | 'error' | 'name' | 'identity')[];
  /** `label`: `[email]`. `hash`: `[email:…]`, the same for equal values of the project. */
  replace: 'label' | 'hash';
  label: string;
  config: {
    [key: string]: unknown;
  };
}

export interface Masker {
  name: string;
  label: string;
  /** JSON Schema of `config`; `null` when it takes none. */
  config_schema: {
    [key: string]: unknown;
  } | null;
}

/**
 * @example {
 *       "rules": [
 *         {
 *           "masker": "email",
 *           "replace": "hash"
 *         },
 *         {
 *           "masker": "card",
 *           "fields": [
 *             "input",
 *             "output"
 *           ]
 *         }
 *       ]
 *     }
 */
export interface PutMasking {
  rules: GivenMaskingRule[];
}

export interface GivenMaskingRule {
  /** Name of a masker: `email`, `phone`, `card`, `iban`, `ip`, `secret`, `pattern`, or a plugin. */
  masker: string;
  /** All when left out. */
  fields?: ('input' | 'output' | 'metadata' | 'error' | 'name' | 'identity')[] | null;
  /**
   * `label`: `[email]`. `hash`: `[email:…]`, the same for equal values of the project.
   * @default label
   */
  replace?: 'label' | 'hash';
  /** What stands in the brackets; the masker's own when left out. */
  label?: string | null;
  /** What the masker takes, such as `pattern`. */
  config?: {
    [key: string]: unknown;
  } | null;
}

export interface PreviewMasking {
  text: string;
  /** @default input */
  field?: 'input' | 'output' | 'metadata' | 'error' | 'name' | 'identity';
  /** With the scope `admin`; the project's own when left out. */
  rules?: GivenMaskingRule[] | null;
}

export interface MaskingPreview {
  /** The text as it would be stored. */
  text: string;
  found: {
    masker: string;
    label: string;
    count: number;
  }[];
}

export interface RecordingMasking {
  project_id: string;
  rules: MaskingRule[];
  /** Base64url: what hashes are begun with, which the API finishes; `null` when no rule hashes, and when it cannot be had: values become labels then. */
  hash_key: string | null;
}

export interface CreateTrace extends PatchTrace {
  /**
   * Chosen by the client; made by the service when left out.
   * @example order-42:step.1
   */
  id?: string | null;
  /**
   * Now when left out.
   * @example 2026-11-20T09:00:00.000Z
   */
  started_at?: string | null;
}

export interface TraceList {
  traces: TraceListItem[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** A trace with the roll-up of its spans. */
export interface TraceListItem extends Trace {
  /** `running` while a span runs or none has come, else `failed` if one failed, else `completed`. */
  status: 'running' | 'completed' | 'failed';
  span_count: number;
  /** Failed spans. */
  error_count: number;
  total_tokens: number;
  /** Dollars; `null` when no span has a cost. */
  total_cost: number | null;
  /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
  unpriced_count: number;
  /** From the first start to the last end. */
  duration_ms: number | null;
  models: string[];
  /** The beginning of what its user asked, `null` when there is none; with `preview` alone. */
  input_preview?: string | null;
  /** The beginning of what its user was answered, `null` when there is none; with `preview` alone. */
  output_preview?: string | null;
  /** The LLM call that answered its user, `null` when there is none; with `preview` alone. */
  answer_span_id?: string | null;
  /** With `include=scores` alone. */
  scores?: ScoreSums;
}

export interface TraceSpans {
  trace: TraceListItem;
  spans: Span[];
  count: number;
  /** Scores of the trace and of its spans, newest first; the first 1000. Left out where there is none. */
  scores?: Score[];
}

export interface Score {
  id: string;
  name: string;
  value: number | null;
  label: string | null;
  comment: string | null;
  author: string;
  source: 'human' | 'code' | 'judge' | 'end_user';
  trace_id: string | null;
  span_id: string | null;
  session_id: string | null;
  /** The scoring rule that made it. */
  rule_id: string | null;
  /** The item of the review queue that it was given in. */
  queue_item_id: string | null;
  /** The name of the definition that it fits. */
  config: string | null;
  metadata: {
    [key: string]: unknown;
  };
  /** Its earlier values, oldest first; the last 5. */
  revisions: {
    value: number | null;
    label: string | null;
    comment: string | null;
    author: string;
    /** When it was replaced. */
    at: Timestamp;
  }[];
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface TraceOutline {
  trace: TraceListItem;
  spans: SpanOutline[];
  count: number;
  /** Scores of the trace and of its spans, newest first; the first 1000. Left out where there is none. */
  scores?: Score[];
}

/** Only members given change; `null` clears; lists and objects are replaced. */
export interface PatchTrace {
  name?: string | null;
  tags?: string[] | null;
  session_id?: string | null;
  user_id?: string | null;
  metadata?: {
    [key: string]: unknown;
  } | null;
}

export interface TraceDeleted {
  trace_id: string;
  spans_deleted: number;
}

export interface TracesDeleted {
  message: string;
  traces_deleted: number;
  spans_deleted: number;
}

export interface CreateSpan {
  /**
   * Chosen by the client; made by the service when left out.
   * @example order-42:step.1
   */
  id?: string | null;
  trace_id: string;
  /**
   * May name a span that has not arrived yet.
   * @example order-42:step.1
   */
  parent_id?: string | null;
  name: string;
  kind?: SpanKind | null;
  /** Any JSON. */
  input?: unknown;
  metadata?: {
    [key: string]: unknown;
  } | null;
  /**
   * ISO 8601 with any offset; UTC when there is none.
   * @example 2026-11-20T09:00:00.000Z
   */
  started_at?: string | null;
}

export interface SpanCreated {
  id: string;
  trace_id: string;
}

export interface CompleteSpan {
  /** Any JSON. */
  output?: unknown;
  kind?: SpanKind | null;
  /**
   * ISO 8601 with any offset; UTC when there is none.
   * @example 2026-11-20T09:00:00.000Z
   */
  ended_at?: string | null;
  /** Merged into what the span has. */
  metadata?: {
    [key: string]: unknown;
  } | null;
}

export interface FailSpan {
  error: string;
  /** Any JSON. */
  output?: unknown;
  kind?: SpanKind | null;
  /**
   * ISO 8601 with any offset; UTC when there is none.
   * @example 2026-11-20T09:00:00.000Z
   */
  ended_at?: string | null;
}

export interface SpanList {
  spans: {
    id: string;
    trace_id: string;
    parent_id: string | null;
    name: string;
    kind: SpanKind;
    /** Any JSON. */
    input: unknown;
    /** Any JSON. */
    output: unknown;
    status: SpanStatus;
    /** The message of the status `failed`. */
    error: string | null;
    started_at: Timestamp;
    ended_at: Timestamp | null;
    /** The caller's own members and, once the span is finished, `duration_ms`, `total_tokens`, `cost` and `cost_source`. */
    metadata: {
      [key: string]: unknown;
    };
    /** With `include=scores` alone. */
    scores?: ScoreSums;
  }[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface SpanOutlineList {
  spans: SpanOutline[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface ReadSpan extends Span {
  /** With `include=cost` alone. */
  cost?: SpanCost;
  /** Scores of the span, newest first; the first 1000. Left out where there is none. */
  scores?: Score[];
}

export interface SpanCost {
  /** Dollars; `null` when there is none. */
  total: number | null;
  /** Who says so: the sender of the span, the provider in its answer, or the price table. */
  source: 'sender' | 'provider' | 'table' | null;
  /** The model whose price counts. */
  model?: string | null;
  /** The service tier that the span says it had. */
  service_tier?: string | null;
  /** Who says what the model costs: a package, a page or a setting. */
  price_source?: string | null;
  /** Empty for a cost that was reported or counted by other prices, `null` where there is none. */
  parts: CostPart[] | null;
  /** Why there is no cost, or no part. */
  reason?: string;
}

export interface CostPart {
  part:
    | 'input'
    | 'cached'
    | 'cache_write'
    | 'cache_write_1h'
    | 'input_audio'
    | 'cached_audio'
    | 'input_image'
    | 'cached_image'
    | 'output'
    | 'reasoning'
    | 'output_audio'
    | 'output_image'
    | 'web_search'
    | 'request';
  quantity: number;
  /** Dollars for `per` of them. */
  unit_price: number;
  /** 1000000 for tokens, 1000 for searches and requests. */
  per: number;
  /** Dollars. */
  cost: number;
}

export interface SessionList {
  sessions: Session[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface Session {
  session_id: string;
  trace_count: number;
  span_count: number;
  /** Failed spans. */
  error_count: number;
  total_tokens: number;
  /** Dollars; `null` when there is none. */
  total_cost: number | null;
  /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
  unpriced_count: number;
  /** Users of its traces, in the order in which they came; the first 8. */
  user_ids: string[];
  started_at: Timestamp;
  ended_at: Timestamp | null;
  /** With `include=scores` alone. */
  scores?: ScoreSums;
}

export interface SessionTraces {
  session_id: string;
  /** With `include=scores` alone. */
  scores?: ScoreSums;
  traces: TraceListItem[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface UserList {
  users: User[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** What the traces with a `user_id` come to. */
export interface User {
  user_id: string;
  trace_count: number;
  session_count: number;
  span_count: number;
  /** LLM calls. */
  call_count: number;
  /** Failed spans. */
  error_count: number;
  total_tokens: number;
  /** Dollars; `null` when no span has a cost. */
  total_cost: number | null;
  /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
  unpriced_count: number;
  /** When the first of its traces started. */
  first_seen_at: Timestamp;
  /** When the last of its traces started. */
  last_seen_at: Timestamp;
  /** What the scores of the user come to; left out where there are none, and of lists without `include=scores`. */
  scores?: ScoreSums;
}

export interface Counted {
  count: number;
  /** `false`: there are more than 10000. */
  exact: boolean;
}

export interface TracesOverTime {
  count: number;
  /** `false`: there are more than 10000. */
  exact: boolean;
  /** Oldest first, without gaps; sixty at most. */
  buckets: TraceBucket[];
}

export interface TraceBucket {
  since: Timestamp;
  /** The next bucket begins here. */
  until: Timestamp;
  running: number;
  completed: number;
  failed: number;
}

export interface FacetList {
  facets: Facet[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface Facet {
  value: string;
  /** How many have the value; `null` where that is not known without counting. */
  count: number | null;
}

export interface IngestScore extends UpdateScore {
  /** @example order-42:step.1 */
  id: string;
  name: string;
  trace_id?: string | null;
  /** Its trace is found; a span that has not arrived yet needs `trace_id` too. */
  span_id?: string | null;
  session_id?: string | null;
  /** `code` when left out. */
  source?: 'human' | 'code' | 'judge' | 'end_user' | null;
}

export interface IngestSpan {
  /** @example order-42:step.1 */
  id: string;
  trace_id: string;
  /** @example order-42:step.1 */
  parent_id?: string | null;
  name: string;
  kind?: SpanKind | null;
  /** Any JSON. */
  input?: unknown;
  /** Any JSON. */
  output?: unknown;
  status?:
    | ('running' | 'completed' | 'failed')
    | {
        failed: {
          error: string;
        };
      }
    | null;
  error?: string | null;
  /**
   * ISO 8601 with any offset; UTC when there is none.
   * @example 2026-11-20T09:00:00.000Z
   */
  started_at?: string | null;
  /**
   * ISO 8601 with any offset; UTC when there is none.
   * @example 2026-11-20T09:00:00.000Z
   */
  ended_at?: string | null;
  metadata?: {
    [key: string]: unknown;
  } | null;
}

/** A trace; members given replace those of the stored trace. */
export interface IngestTrace extends PatchTrace {
  /** @example order-42:step.1 */
  id: string;
  /**
   * ISO 8601 with any offset; UTC when there is none.
   * @example 2026-11-20T09:00:00.000Z
   */
  started_at?: string | null;
  /** Members that count only when this item makes the trace. */
  defaults?: {
    name?: string | null;
    /**
     * ISO 8601 with any offset; UTC when there is none.
     * @example 2026-11-20T09:00:00.000Z
     */
    started_at?: string | null;
  } | null;
}

/** Up to 10000 items; a bad one rejects only itself. */
export interface Ingest {
  traces?: IngestTrace[] | null;
  spans?: IngestSpan[] | null;
  scores?: IngestScore[] | null;
}

export interface IngestResult {
  accepted: {
    traces: number;
    spans: number;
    /** Where the request had `scores`. */
    scores?: number;
  };
  rejected: {
    /** Position in its collection. */
    index: number;
    collection: 'traces' | 'spans' | 'scores';
    /** A code of the error catalogue. */
    code: string;
    message: string;
  }[];
}

export interface PriceList {
  prices: ListedPrice[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface ListedPrice {
  model: string;
  /** Where the price comes from: the built-in table, a file, a plugin or the configuration. */
  source: string;
  /** The price in the form of `pricing.models`: dollars per million tokens. */
  price: {
    [key: string]: unknown;
  };
}

export interface ApplyPrices {
  /**
   * Spans that started then or later.
   * @example 2026-11-20T09:00:00.000Z
   */
  since?: string | null;
  /** Spans of this model alone. */
  model?: string | null;
  /** Spans with tokens and without a cost alone. */
  unpriced?: boolean | null;
  /** Says what would change, and changes nothing. */
  dry_run?: boolean | null;
  /** `next_cursor` of the page before. */
  cursor?: string | null;
}

export interface AppliedPrices {
  /** Finished spans of a model that were looked at in this answer. */
  examined: number;
  /** Those that have another cost now. */
  changed: number;
  unchanged: number;
  /** Those that stay as they are because their sender or provider reported what they cost. */
  reported: number;
  /** Dollars that the changed and the unchanged ones cost before. */
  before: number;
  /** Dollars that they cost now. */
  after: number;
  /** What `cursor` takes to go on; `null` at the end. */
  next_cursor: string | null;
}

/** One of value, label and comment, about one trace, span or session. */
export interface CreateScore extends UpdateScore {
  /** @example order-42:step.1 */
  id?: string | null;
  name: string;
  trace_id?: string | null;
  /** Its trace is found; a span that has not arrived yet needs `trace_id` too. */
  span_id?: string | null;
  session_id?: string | null;
  /** `code` when left out. */
  source?: 'human' | 'code' | 'judge' | 'end_user' | null;
}

export interface ScoreList {
  scores: Score[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface UpdateScore {
  value?: number | null;
  label?: string | null;
  comment?: string | null;
  /** The caller's identity when left out. */
  author?: string | null;
  metadata?: {
    [key: string]: unknown;
  } | null;
}

export interface ScoreSeries {
  /** Oldest first, by name within a bucket. */
  buckets: ScoreBucket[];
}

export interface ScoreBucket {
  /** When the bucket begins: of what the scores are about. */
  timestamp: Timestamp;
  name: string;
  count: number;
  mean: number | null;
  min: number | null;
  max: number | null;
  labels: {
    [key: string]: number;
  };
}

export interface ScoreQualityAnswer {
  judge: {
    mean: number | null;
    /** What the judge alone scored. */
    n: number;
  };
  human: {
    mean: number | null;
    /** What both scored. */
    k: number;
  };
  /** The judge's mean, corrected by what people said; `null` below 20 of what both scored. */
  corrected: {
    mean: number;
    ci: LevelInterval;
  } | null;
  /** How often the judge passes what people pass; of 0 and 1 alone. */
  true_pass_rate: WilsonRate | null;
  /** How often the judge fails what people fail. */
  true_fail_rate: WilsonRate | null;
  /** With `split_by` alone. */
  series?: ScoreQuality[];
}

export interface LevelInterval {
  low: number;
  high: number;
  level: number;
}

export interface WilsonRate {
  rate: number;
  /** Wilson's interval. */
  ci: LevelInterval;
}

export interface ScoreQuality {
  /** The model, or when the day or week began; with `split_by`. */
  key: string | null;
  judge: {
    mean: number | null;
    /** What the judge alone scored. */
    n: number;
  };
  human: {
    mean: number | null;
    /** What both scored. */
    k: number;
  };
  /** The judge's mean, corrected by what people said; `null` below 20 of what both scored. */
  corrected: {
    mean: number;
    ci: LevelInterval;
  } | null;
  /** How often the judge passes what people pass; of 0 and 1 alone. */
  true_pass_rate: WilsonRate | null;
  /** How often the judge fails what people fail. */
  true_fail_rate: WilsonRate | null;
}

/** What scores of a name look like. */
export interface CreateScoreDefinition extends UpdateScoreDefinition {
  name: string;
}

export interface ScoreDefinition {
  id: string;
  name: string;
  kind: 'number' | 'category' | 'boolean' | 'text';
  min: number | null;
  max: number | null;
  categories: {
    label: string;
    value: number | null;
  }[];
  level: 'nominal' | 'ordinal' | 'interval';
  description: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface ScoreDefinitionList {
  score_definitions: ScoreDefinition[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface UpdateScoreDefinition {
  kind: 'number' | 'category' | 'boolean' | 'text';
  /** The smallest value; of numbers alone. */
  min?: number | null;
  /** The largest value; of numbers alone. */
  max?: number | null;
  /** The labels there are, and what each counts as a number; of categories alone. */
  categories?:
    | {
        label: string;
        value?: number | null;
      }[]
    | null;
  /** How far apart two answers are; by the kind when left out. */
  level?: 'nominal' | 'ordinal' | 'interval' | null;
  description?: string | null;
}

export interface CreateDataset {
  name: string;
  description?: string | null;
}

export interface DatasetList {
  datasets: Dataset[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface DatasetRead extends Dataset {
  /** Datapoints without an expected value, or with `null`; where it is asked for by `include`. */
  without_expected_count?: number;
}

/** Only members given change; `null` clears the description. */
export interface UpdateDataset {
  name?: string;
  description?: string | null;
}

export interface CreateDatapoint {
  kind: DatapointKind;
}

export interface DatapointList {
  datapoints: Datapoint[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface DatapointPreviewList {
  datapoints: DatapointPreview[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** A datapoint without its kind. */
export interface DatapointPreview extends DatapointOutline {
  variant: 'Generic' | 'LlmConversation';
  /** Bytes of the kind as JSON, a result of a run not counted. */
  kind_bytes: number;
  /** The beginning of the last user message, or of the input; `null` for none. */
  input_preview: string | null;
  /** The beginning of the expected output; `null` for none. */
  expected_preview: string | null;
  /** The beginning of the newest output; `null` for none. */
  actual_preview: string | null;
  /** The newest score. */
  score: number | null;
}

/** `kind` is replaced whole. */
export interface UpdateDatapoint {
  kind?: DatapointKind;
}

export interface DeleteDatapoints {
  ids: string[];
}

export interface DeletedDatapoints {
  /** How many of the datapoints were there and are deleted now. */
  deleted: number;
  /** Given ids that no datapoint of the dataset has. */
  missing: string[];
}

export interface ExportSpan {
  span_id: string;
  /** What the datapoint expects in the place of the span's answer; `null`: nothing. */
  expected?: string | null;
}

export interface ExportSpans {
  /** Ids of spans; one that is named twice counts once. */
  span_ids: string[];
  /** Leaves out spans that a datapoint of the dataset is from already: they are listed in `existing`. */
  skip_existing?: boolean | null;
}

export interface ExportedSpans {
  created: {
    span_id: string;
    datapoint_id: string;
  }[];
  /** With `skip_existing`. */
  existing?: {
    span_id: string;
    datapoint_id: string;
  }[];
  /** Spans of `created` whose output was not understood as an answer; left out when there are none. */
  unread_answers?: string[];
  rejected: {
    span_id: string;
    /** A code of the error catalogue. */
    code: string;
    message: string;
  }[];
}

export interface ImportResult {
  /** Rows that became datapoints; with `replace` also those that were there and stay. */
  imported: number;
  dataset_id: string;
  /** Columns of the file, or members of its objects, each with the member of the datapoints it became. */
  columns_used: {
    column: string;
    member: string;
    rows: number;
  }[];
  /** The first 100 columns that became nothing, each with the number of rows that have a value there. */
  columns_ignored: {
    column: string;
    rows: number;
  }[];
  /** Imported rows without an expected value. */
  without_expected_count: number;
  /** What to do about rows without an expected value, when there are some. */
  hint?: string;
  /** Rows whose content the dataset had already, when there are some: left out with `dedupe`, kept as they are with `replace`, imported once more otherwise. */
  duplicates?: number;
  /** With `replace`: datapoints that the file does not have. */
  removed?: number;
  /** With `on_error=skip`: the first of the rows that were left out, by their line in the file. */
  skipped?: {
    line: number;
    message: string;
  }[];
  /** With `on_error=skip`: how many rows were left out. */
  skipped_count?: number;
  /** How many rows had nothing but empty cells, or no members, when there are some. */
  skipped_empty_rows?: number;
}

/** The last line has `status` and `body`. */
export type ImportLine =
  | {
      /** Rows read so far. */
      rows: number;
    }
  | {
      /** The status that the answer would have had. */
      status: number;
      body: ImportResult | Problem;
    };

export interface CreateCaptureRule {
  name: string;
  /** `true` when left out. */
  enabled?: boolean | null;
  filters?: CaptureFilters | null;
  /** 1 when left out. */
  sample_rate?: number | null;
}

/** All given must hold. */
export interface CaptureFilters {
  model?: string | null;
  provider?: string | null;
  kind?: string | null;
  status?: 'completed' | 'failed' | null;
  /** Ignores the case of ASCII letters. */
  name_contains?: string | null;
  /** A tag of the trace that the span belongs to. */
  tag?: string | null;
  /** Dollars. */
  min_cost?: number | null;
  min_tokens?: number | null;
  min_duration_ms?: number | null;
}

export interface CaptureRule {
  id: string;
  dataset_id: string;
  name: string;
  enabled: boolean;
  filters: CaptureFilters;
  /** Part of the matching spans that is taken. */
  sample_rate: number;
  captured_count: number;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface PreviewCapture {
  filters?: CaptureFilters | null;
  /** 1 when left out. */
  sample_rate?: number | null;
}

export interface CapturePreview {
  /** Finished spans that were looked at: the newest 1000. */
  scanned: number;
  matched: number;
  /** About how many of the matching spans the sample takes. */
  would_capture: number;
  /** Start of the oldest span that was looked at. */
  since: Timestamp | null;
  /** Whether all finished spans were looked at. */
  complete: boolean;
  /** Matching spans, newest first; the first 20. */
  spans: SpanOutline[];
}

export interface CaptureRuleList {
  capture_rules: CaptureRule[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** Only members given change; `filters` is replaced whole. */
export interface UpdateCaptureRule {
  name?: string;
  enabled?: boolean;
  filters?: CaptureFilters;
  sample_rate?: number;
}

/** One of `trace_ids`, `span_ids` and `session_ids`. */
export interface EnqueueTargets {
  trace_ids?: string[] | null;
  span_ids?: string[] | null;
  session_ids?: string[] | null;
  /** People who review each; 1 when left out. */
  reviews_required?: number | null;
  /** Names of score definitions that a review has to answer. */
  form?: string[] | null;
  instructions?: string | null;
  /** Higher ones come first; 0 when left out. */
  priority?: number | null;
  /** Nobody reads answers of others before their own; `true` when left out. */
  blind?: boolean | null;
  /** Why these were chosen; with anything but `random` their answers enter no estimate. */
  selected_by?: string | null;
  /** In which `next` gives them; `oldest` when left out. `uncertain`: what judges were least sure of first. */
  order?: 'oldest' | 'random' | 'uncertain' | null;
  /** Who may review them, by id or e-mail address; anybody when left out. */
  assignees?: string[] | null;
  /** A further item appears where the answers of a group differ; its answer is that of the group. */
  adjudicate?: 'disagree' | null;
  /** Who may decide then; anybody outside of the group when left out. */
  adjudicators?: string[] | null;
  /** Closes the queue when the 95% interval of the mean of each score of the form is no wider. */
  until?: {
    ci_width: number;
  } | null;
  /** Things with known answers, mixed in: nobody sees which they are. */
  gold?: {
    /** The share of all items that they are to be, as far as there are enough. */
    rate: number;
    /** Ids of the kind that is enqueued, with the known answers. */
    items: {
      id: string;
      scores: {
        name: string;
        value?: number | null;
        label?: string | null;
        comment?: string | null;
      }[];
    }[];
  } | null;
}

export interface Enqueued {
  /** Datapoints that had an open item already, which is answered; left out when there are none. */
  existing?: number;
  items: QueueItem[];
  count: number;
}

export interface ClaimNext {
  /** The reviewer; the caller's identity when left out. */
  claimed_by?: string | null;
  /** Ids of items to leave out. */
  exclude?: string[];
}

export interface QueueProgress {
  pending: number;
  claimed: number;
  completed: number;
  /** Completed ones without an answer. */
  skipped: number;
  reviewers: {
    reviewer: string;
    claimed: number;
    completed: number;
    /** From claim to submission. */
    median_seconds: number | null;
    /** How often the reviewer gave the known answer; left out where no item with one was answered. */
    gold?: {
      answered: number;
      correct: number;
      accuracy: WilsonRate;
    };
  }[];
  median_seconds: number | null;
  /** How close the queue is to its end, where items have `until`; left out where none has. */
  estimates?: {
    name: string;
    /** How wide the interval may be. */
    ci_width: number;
    /** What was reviewed of what was chosen at random. */
    units: number;
    mean: number | null;
    /** `null` below 30 units. */
    ci: LevelInterval | null;
  }[];
}

export interface Agreement {
  scores: AgreementOfScores[];
}

/** A coefficient is `null` where no disagreement was to be expected. */
export interface AgreementOfScores {
  name: string;
  level: 'nominal' | 'ordinal' | 'interval';
  /** Datapoints with two ratings or more. */
  units: number;
  ratings: number;
  raters: number;
  /** The mean share of pairs of ratings that agree. */
  percent_agreement: number | null;
  percent_agreement_ci: LevelInterval | null;
  /** Where there are exactly two raters. */
  cohen_kappa: number | null;
  /** Where all units have equally many ratings. */
  fleiss_kappa: number | null;
  krippendorff_alpha: number | null;
  krippendorff_alpha_ci: LevelInterval | null;
  gwet_ac1: number | null;
  gwet_ac1_ci: LevelInterval | null;
  pairs: {
    a: string;
    b: string;
    units: number;
    percent_agreement: number;
    cohen_kappa: number | null;
  }[];
}

export interface QueueItemList {
  items: QueueItem[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface Claim {
  /** The reviewer; the caller's identity when left out. */
  claimed_by?: string | null;
}

export interface Submit {
  /** Any JSON; approved as it is when left out. */
  edited_data?: unknown;
  /** Answers to the form of the item. */
  scores?:
    | {
        name: string;
        value?: number | null;
        label?: string | null;
        comment?: string | null;
      }[]
    | null;
  comment?: string | null;
  /** Answers nothing; needs a `comment` that says why. */
  skip?: boolean | null;
}

export interface SubmittedItem extends QueueItem {
  /** With `apply=true`, where the datapoint stays as it was: there is no edited data, or it is no kind. */
  applied?: false;
}

export interface QueueCounts {
  datasets: {
    dataset_id: string;
    name: string;
    pending: number;
    claimed: number;
    completed: number;
    /** When the item that `next` gives was enqueued. */
    oldest_pending_at: Timestamp | null;
  }[];
  count: number;
  /** Items of traces, spans and sessions; left out when there are none. */
  targets?: {
    pending: number;
    claimed: number;
    completed: number;
    /** When the item that `next` gives was enqueued. */
    oldest_pending_at: Timestamp | null;
  };
}

export interface Enqueue {
  datapoint_ids: string[];
  /** People who review each; 1 when left out. */
  reviews_required?: number | null;
  /** Names of score definitions that a review has to answer. */
  form?: string[] | null;
  instructions?: string | null;
  /** Higher ones come first; 0 when left out. */
  priority?: number | null;
  /** Nobody reads answers of others before their own; `true` when left out. */
  blind?: boolean | null;
  /** Why these were chosen; with anything but `random` their answers enter no estimate. */
  selected_by?: string | null;
  /** In which `next` gives them; `oldest` when left out. `uncertain`: what judges were least sure of first. */
  order?: 'oldest' | 'random' | 'uncertain' | null;
  /** Who may review them, by id or e-mail address; anybody when left out. */
  assignees?: string[] | null;
  /** A further item appears where the answers of a group differ; its answer is that of the group. */
  adjudicate?: 'disagree' | null;
  /** Who may decide then; anybody outside of the group when left out. */
  adjudicators?: string[] | null;
  /** Closes the queue when the 95% interval of the mean of each score of the form is no wider. */
  until?: {
    ci_width: number;
  } | null;
  /** Things with known answers, mixed in: nobody sees which they are. */
  gold?: {
    /** The share of all items that they are to be, as far as there are enough. */
    rate: number;
    /** Ids of the kind that is enqueued, with the known answers. */
    items: {
      id: string;
      scores: {
        name: string;
        value?: number | null;
        label?: string | null;
        comment?: string | null;
      }[];
    }[];
  } | null;
}

export interface CreateConnection {
  name: string;
  /** `openai`, `anthropic`, `custom`, or the name of a loaded provider plugin. */
  provider: string;
  /** Never returned. */
  api_key: string;
  /** What the provider's own SDK takes: with `/v1` for openai and custom, without it for anthropic and ollama. */
  base_url?: string | null;
  /** For eval runs that name no model. */
  default_model?: string | null;
}

/** A provider connection, without its key. */
export interface Connection extends ExportedConnection {
  /** `unreadable`: this server cannot decrypt the key, because it lacks the secret key or the stored row was changed; `missing`: imported without a key. */
  key_status: 'readable' | 'unreadable' | 'missing';
}

export interface ConnectionList {
  connections: Connection[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** Only members given change; `null` clears `base_url` and `default_model`. */
export interface UpdateConnection {
  name?: string;
  /** `openai`, `anthropic`, `custom`, or the name of a loaded provider plugin. */
  provider?: string;
  /** The key stays when none is given. */
  api_key?: string | null;
  /** What the provider's own SDK takes: with `/v1` for openai and custom, without it for anthropic and ollama. */
  base_url?: string | null;
  default_model?: string | null;
}

export interface ConnectionTest {
  ok: boolean;
  latency_ms: number;
  /** Ids of the models that the connection reaches; `null` when it does not. */
  models: string[] | null;
  error: string | null;
}

export interface StartEval {
  /** @example order-42:step.1 */
  id?: string | null;
  name: string;
  /** Required, unless the run is an external one. */
  config?: StartEvalConfig;
  /** The name of a scorer that is built in (`ExactMatch`, `LlmJudge`, `Regex` …) or loaded: `GET /api/capabilities` lists them. Required, unless there are `scorers`. */
  scoring?: string;
  /** Checked by the scoring plugin's own schema. */
  scoring_config?: {
    [key: string]: unknown;
  } | null;
  /** Several scorers, in the place of `scoring` and `scoring_config`. */
  scorers?: StartEvalScorer[] | null;
  /** `external`: the caller executes, and sends results. `server` when left out. */
  execution?: 'server' | 'external' | null;
  /** How often each datapoint is tried; 1 when left out. */
  repeats?: number | null;
  /** That of scorers which have none of their own, and of the score in the mode `mean`. Left out: that of the scorer, where one alone counts, else 1. */
  pass_score?: number | null;
  /** `all`, when left out: a sample passes when every scorer with a weight reaches its own pass score. `mean`: when its score reaches `pass_score`. */
  pass_mode?: 'mean' | 'all' | null;
  /** The datapoints to take; all of the dataset when left out. */
  filter?: EvalFilter | null;
  /** `reuse`: a sample whose call and datapoint are those of an earlier run takes its answer, at no cost. */
  cache?: 'reuse' | null;
  /** How old such a run may be; 30 when left out. */
  cache_days?: number | null;
  /** A run of the dataset with whose answers scorers such as `Preference` compare this run's. */
  baseline_run_id?: string | null;
  /** Dollars that the calls of the run and its judges may cost. */
  max_cost_usd?: number | null;
  gates?: EvalGate[] | null;
  /** Starts the run also where no datapoint has the expected value that a scorer needs. */
  allow_unscored?: boolean | null;
  /** Texts by key: commit, branch … */
  metadata?: {
    [key: string]: string;
  } | null;
}

export interface StartEvalConfig {
  /** Required, unless the run is an external one, which has none. */
  connection_id?: string | null;
  /** The connection's `default_model` when left out. */
  model?: string | null;
  system_prompt?: string | null;
  /** The conversation that is sent, in the place of `system_prompt`: with `{{input}}`, `{{input.MEMBER}}`, `{{metadata.MEMBER}}`, and `{{messages}}` alone in a message for the messages of the datapoint. */
  messages?: PromptMessage[] | null;
  temperature?: number | null;
  max_tokens?: number | null;
  /** How providers in the format of OpenAI are sent `max_tokens`; the provider's own way when left out. */
  max_tokens_member?: 'max_tokens' | 'max_completion_tokens' | null;
  /** `before`, when left out: a message before the datapoint's. `replace`: in the place of its system messages; `prepend` and `append`: in one message with its first or last of them. */
  system_prompt_mode?: 'before' | 'replace' | 'prepend' | 'append' | null;
  /** Whether tools and parameters that a datapoint has in `metadata.recorded` are sent with it, as datapoints of replays have them. */
  recorded?: boolean | null;
  /** Whether the calls of each item are recorded as a trace; the setting `evals.trace` when left out. */
  trace?: boolean | null;
  /** For scoring by a model; what is left out is the run's own. */
  judge?: JudgeChoice | null;
}

export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface JudgeChoice {
  connection_id?: string | null;
  model?: string | null;
  rubric?: string | null;
  /** 0 when left out; `null`: judges are asked without one. */
  temperature?: number | null;
}

export interface StartEvalScorer {
  /** `scoring` when left out; unique in the run. */
  name?: string | null;
  /** The name of a scorer that is built in (`ExactMatch`, `LlmJudge`, `Regex` …) or loaded: `GET /api/capabilities` lists them. */
  scoring: string;
  /** Checked by the scoring plugin's own schema. */
  scoring_config?: {
    [key: string]: unknown;
  } | null;
  /** Its members take the place of those of `config.judge`. */
  judge?: JudgeChoice | null;
  /** 1 when left out. */
  weight?: number | null;
  /** Left out: that of the run where one is given, else 0.5 for scorers whose scores are grades, such as `LlmJudge`, and 1 for others. */
  pass_score?: number | null;
}

export interface EvalFilter {
  /** Values by top-level member of the datapoints' `metadata`, all of which must be equal. */
  metadata?: {
    [key: string]: string | number | boolean;
  };
  source?: ('manual' | 'span_export' | 'file_upload')[];
  ids?: string[];
  /** At most so many, the oldest first. */
  limit?: number;
  /** So many, chosen by chance. */
  sample?: number;
  /** Runs with the same seed choose the same datapoints; 0 when left out. */
  seed?: number;
}

export interface EvalGate {
  metric: GateMetric;
  /** Name of a scorer; the score of all together when left out. Where no scorer has it: that of a group, or `GROUP.SCORER`. */
  scorer?: string | null;
  /** The k of `pass_at_k` and `pass_hat_k`; 1 when left out. */
  k?: number | null;
  /** Required, but for `regression`, which holds unless the verdict is `worse`. */
  op?: '>=' | '>' | '<=' | '<' | null;
  /** Required, but for `regression`. */
  value?: number | null;
  /** Required by the metrics that compare. */
  baseline_run_id?: string | null;
  /** Compares scores also where the baseline was scored differently. */
  allow_different_scoring?: boolean | null;
  /** By how much the share of failed samples may rise, if the rise is no significant one; for `regression` without `by`. */
  max_new_failures?: number | null;
  /** Looks at the datapoints alone that have this value in their `metadata`. */
  group?: {
    /** The one that has the value when left out. */
    key?: string | null;
    /** `null`: datapoints without the member. */
    value?: string | number | boolean | null;
  } | null;
  /** Looks at each group of datapoints with the same value: all must hold. */
  by?: string | null;
  /** Clusters of intervals and tests, as statistics have them. */
  cluster_by?: string | null;
}

export type GateMetric =
  | 'mean'
  | 'mean_ci_low'
  | 'pass_rate'
  | 'pass_rate_ci_low'
  | 'pass_at_k'
  | 'pass_hat_k'
  | 'min_datapoint_pass_rate'
  | 'never_passed'
  | 'flaky_datapoints'
  | 'failed_samples'
  | 'failed_rate'
  | 'latency_p50'
  | 'latency_p95'
  | 'total_cost'
  | 'mean_cost'
  | 'diff'
  | 'diff_ci_low'
  | 'worse'
  | 'regression'
  | 'new_failures';

/** An eval run as it was started, without items. */
export interface StartedEval extends EvalRun {
  /** Left out when there are none. */
  warnings?: {
    /** A scorer needs an expected value, which some datapoints do not have. */
    code: 'missing_expected';
    /** Datapoints without one: they are not scored. */
    count: number;
    /** Datapoints of the run. */
    total: number;
  }[];
}

export interface EvalScorer {
  name: string;
  scoring: string;
  scoring_config: {
    [key: string]: unknown;
  } | null;
  /** Its members take the place of those of the run's own judge. */
  judge: {
    connection_id: string | null;
    model: string | null;
    rubric: string | null;
    /** Absent where none was given: 0. `null`: judges are asked without one. */
    temperature?: number | null;
  } | null;
  /** How much its score counts in the score of a sample; 0: it is shown, and does not count. */
  weight: number;
  pass_score: number;
}

export interface JudgedGate {
  metric: GateMetric;
  scorer: string | null;
  k: number | null;
  op: '>=' | '>' | '<=' | '<' | null;
  value: number | null;
  baseline_run_id: string | null;
  /** Absent without a group. */
  group?: {
    key: string;
    value: string | number | boolean | null;
  };
  /** Absent where the gate is not put to each group. */
  by?: string;
  /** Absent where nothing is clustered. */
  cluster_by?: string;
  /** Absent unless it was given. */
  allow_different_scoring?: true;
  /** Absent where none was given. */
  max_new_failures?: number;
  /** What was found: a number, or the verdict of a `regression`; of several groups the worst. `null` before the end, and where there is no value. */
  actual: number | string | null;
  /** `null` before the end; a gate without a value does not hold. */
  passed: boolean | null;
  /** With `by`: the first 20 groups that do not hold. */
  failing?: {
    value: unknown;
    actual: number | string | null;
  }[];
  /** Why it does not hold, where `actual` does not say it. */
  reason?: string;
}

export interface Interval {
  low: number;
  high: number;
  level: 0.95;
  method: 'wilson' | 't';
}

export interface MeanRate {
  mean: number | null;
  se: number | null;
  ci: Interval | null;
}

export interface Amounts {
  count: number;
  mean: number | null;
  /** 95% interval of the mean. */
  ci: Interval | null;
  p50: number | null;
  p95: number | null;
  max: number | null;
}

export interface ResultItem {
  datapoint_id: string;
  /** The datapoint's input, or its messages, as the run's snapshot has them. */
  input: unknown;
  output: string | null;
  /** Expected text; `null` when the datapoint has none. */
  expected: string | null;
  /** The score of an item with several samples is the mean of those that have one. */
  score: number | null;
  /** Whether all of its samples that have a score pass; left out where `samples` are. */
  passed?: boolean | null;
  /** The scorer's, or `not scored` where there is an output that could not be scored; `error` says why. */
  score_reason: string | null;
  /** Results by the name of the scorer; of an item with several samples their mean, and the first reason and error. */
  scores: {
    [key: string]: ScorerResult;
  };
  /** `null` where each datapoint is tried once; in lists with `include=samples`. */
  samples?: EvalSample[] | null;
  /** Where `samples` are listed: the one with the lowest score, else the first that failed. */
  worst_repeat?: number | null;
  /** Milliseconds that the successful attempt took; of an item with several samples their mean. */
  latency_ms: number | null;
  tokens: number | null;
  /** Dollars; `null` when there is none. */
  cost: number | null;
  status: 'pending' | 'running' | 'completed' | 'failed';
  error: string | null;
  /** Model calls made for this item, the judge's not counted. */
  attempts: number;
  judge_model: string | null;
  /** SHA-256 of the judge's prompt and rubric: equal for runs that were judged alike. */
  judge_prompt_hash: string | null;
  /** Calls of judges: one that answered in no usable way is asked once more. `null` where none was asked. */
  judge_attempts: number | null;
  judge_tokens: number | null;
  /** Dollars; `null` when there is none. */
  judge_cost: number | null;
  /** The trace of its calls, where the run was to make one; it may have been deleted since. */
  trace_id: string | null;
  /** The span that the caller named with an external result. */
  span_id: string | null;
  /** What the caller sent as `metadata` of an external result. */
  metadata: {
    [key: string]: unknown;
  } | null;
  /** Whether the answer is that of an earlier run, taken over at no cost. */
  reused: boolean;
  /** The run that had the answer; it may have been deleted since. */
  reused_run_id: string | null;
  /** What came of its samples before they were tried again; absent where none was. */
  former_attempts?: FormerAttempt[];
}

export interface ScorerResult {
  score: number | null;
  reason: string | null;
  error: string | null;
  judge_model: string | null;
  judge_prompt_hash: string | null;
  /** Calls of judges: one that answered in no usable way is asked once more. `null` where none was asked. */
  judge_attempts?: number | null;
  judge_tokens: number | null;
  /** Dollars; `null` when there is none. */
  judge_cost: number | null;
  /** The answer that the judge preferred in each order, for a scorer that compares with a baseline. Absent for an item with several samples, which have their own. */
  preference?: Preference;
}

export interface Preference {
  baseline_first: 'baseline' | 'output' | 'neither';
  output_first: 'baseline' | 'output' | 'neither';
}

export interface EvalSample {
  /** From 0. */
  repeat: number;
  status: 'pending' | 'running' | 'completed' | 'failed';
  output: string | null;
  score: number | null;
  /** Whether it passes by the `pass_mode` of the run; `null` without a score that decides. */
  passed: boolean | null;
  /** The scorer's, or `not scored` where there is an output that could not be scored; `error` says why. */
  score_reason: string | null;
  /** Results by the name of the scorer; of an item with several samples their mean, and the first reason and error. */
  scores: {
    [key: string]: ScorerResult;
  };
  latency_ms: number | null;
  tokens: number | null;
  /** Dollars; `null` when there is none. */
  cost: number | null;
  error: string | null;
  attempts: number;
  judge_model: string | null;
  judge_prompt_hash: string | null;
  /** Calls of judges: one that answered in no usable way is asked once more. `null` where none was asked. */
  judge_attempts: number | null;
  judge_tokens: number | null;
  /** Dollars; `null` when there is none. */
  judge_cost: number | null;
  /** The trace of its calls, where the run was to make one; it may have been deleted since. */
  trace_id: string | null;
  /** The span that the caller named with an external result. */
  span_id: string | null;
  /** What the caller sent as `metadata` of an external result. */
  metadata: {
    [key: string]: unknown;
  } | null;
  /** Whether the answer is that of an earlier run, taken over at no cost. */
  reused: boolean;
  /** The run that had the answer; it may have been deleted since. */
  reused_run_id: string | null;
}

export interface FormerAttempt extends EvalSample {
  /** From 0, by sample. */
  attempt: number;
  /** When the sample was tried again. */
  retried_at: Timestamp;
}

export interface StartMatrix {
  /**
   * Of the group; the same request again answers the same runs.
   * @example order-42:step.1
   */
  id?: string | null;
  /** The beginning of the name of each run; its model and its prompt follow. */
  name: string;
  /** Required, unless the run is an external one. */
  config?: StartEvalConfig;
  /** The name of a scorer that is built in (`ExactMatch`, `LlmJudge`, `Regex` …) or loaded: `GET /api/capabilities` lists them. Required, unless there are `scorers`. */
  scoring?: string;
  /** Checked by the scoring plugin's own schema. */
  scoring_config?: {
    [key: string]: unknown;
  } | null;
  /** Several scorers, in the place of `scoring` and `scoring_config`. */
  scorers?: StartEvalScorer[] | null;
  /** `external`: the caller executes, and sends results. `server` when left out. */
  execution?: 'server' | 'external' | null;
  /** How often each datapoint is tried; 1 when left out. */
  repeats?: number | null;
  /** That of scorers which have none of their own, and of the score in the mode `mean`. Left out: that of the scorer, where one alone counts, else 1. */
  pass_score?: number | null;
  /** `all`, when left out: a sample passes when every scorer with a weight reaches its own pass score. `mean`: when its score reaches `pass_score`. */
  pass_mode?: 'mean' | 'all' | null;
  /** The datapoints to take; all of the dataset when left out. */
  filter?: EvalFilter | null;
  /** `reuse`: a sample whose call and datapoint are those of an earlier run takes its answer, at no cost. */
  cache?: 'reuse' | null;
  /** How old such a run may be; 30 when left out. */
  cache_days?: number | null;
  /** A run of the dataset with whose answers scorers such as `Preference` compare this run's. */
  baseline_run_id?: string | null;
  /** Dollars that the calls of the run and its judges may cost. */
  max_cost_usd?: number | null;
  gates?: EvalGate[] | null;
  /** Starts the run also where no datapoint has the expected value that a scorer needs. */
  allow_unscored?: boolean | null;
  /** Texts by key: commit, branch … */
  metadata?: {
    [key: string]: string;
  } | null;
  /** That of `config` when left out. */
  models?: (string | StartModel)[] | null;
  /** Each takes the place of `system_prompt` and `messages` of `config`; those of `config` when left out. */
  prompts?: StartPrompt[] | null;
}

/** Without a `model` the connection's default model. */
export interface StartModel {
  connection_id?: string | null;
  model?: string | null;
}

export interface StartPrompt {
  /** A part of the names of its runs. */
  name?: string | null;
  system_prompt?: string | null;
  /** The conversation that is sent, in the place of `system_prompt`: with `{{input}}`, `{{input.MEMBER}}`, `{{metadata.MEMBER}}`, and `{{messages}}` alone in a message for the messages of the datapoint. */
  messages?: PromptMessage[] | null;
}

export interface StartedMatrix {
  /** That of all of them: lists take it as a filter. */
  group_id: string;
  /** Each model with each prompt, in the order of the request. */
  runs: StartedEval[];
}

export interface EvalRunList {
  runs: EvalRunSummary[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** An eval run without its items. */
export interface EvalRunSummary {
  id: string;
  dataset_id: string;
  /** Version of the dataset that the run works on. */
  dataset_version: number;
  name: string;
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
  /** Items completed or failed, all samples of each; never goes back. */
  progress: number;
  total: number;
  execution: 'server' | 'external';
  /** How often each datapoint is tried; one try is a sample. */
  repeats: number;
  /** Samples completed or failed; never goes back. */
  sample_progress: number;
  sample_total: number;
  failed_samples: number;
  config: {
    /** `null` for an external run. */
    connection_id: string | null;
    /** `null` where an external run has none. */
    model: string | null;
    system_prompt: string | null;
    /** Absent where none were given. */
    messages?: PromptMessage[];
    temperature: number | null;
    max_tokens: number | null;
    /** Absent where none was given. */
    max_tokens_member?: 'max_tokens' | 'max_completion_tokens';
    /** Absent where none was given. */
    system_prompt_mode?: 'before' | 'replace' | 'prepend' | 'append';
    /** Absent where it was not given. */
    recorded?: boolean;
    trace: boolean;
    judge: {
      connection_id: string | null;
      model: string | null;
      rubric: string | null;
      /** Absent where none was given: 0. `null`: judges are asked without one. */
      temperature?: number | null;
    } | null;
  };
  /** The scoring of the first scorer. */
  scoring: string;
  scoring_config: {
    [key: string]: unknown;
  } | null;
  scorers: EvalScorer[];
  /** What the score of a sample reaches that passes, in the mode `mean`. */
  pass_score: number;
  /** `all`: a sample passes when every scorer with a weight reaches its own pass score; `mean`: when its score reaches the pass score of the run. */
  pass_mode: 'mean' | 'all';
  /** The datapoints that it takes; `null`: all of the dataset. */
  filter: EvalFilter | null;
  /** `reuse`: answers of earlier runs are taken over. */
  cache: 'reuse' | null;
  /** How old such a run may be. */
  cache_days: number | null;
  /** Samples whose answer an earlier run had. */
  reused_samples: number;
  /** Former attempts of samples that were tried again. */
  retried_samples: number;
  /** Dollars that former attempts and their judges cost, which the other costs leave out and the cap counts; `null` when there is none. */
  retried_cost: number | null;
  /** What runs that were started together share; `null` for a run that was started alone. */
  group_id: string | null;
  /** The run with whose answers its scorers compare; it may have been deleted since. */
  baseline_run_id: string | null;
  /** Dollars; `null` when there is none. */
  max_cost_usd: number | null;
  metadata: {
    [key: string]: string;
  };
  gates: JudgedGate[];
  /** Whether all gates hold; `null` without gates or before the end, `false` when cancelled or failed. */
  passed: boolean | null;
  /** Why the run was cancelled. */
  stop_reason: 'cancelled' | 'cost_cap' | 'idle' | null;
  /** Mean over the items that have a score. */
  avg_score: number | null;
  /** Standard error of the mean score; `null` until the end. */
  score_se: number | null;
  /** 95% interval of the mean score; `null` until the end. */
  score_ci: Interval | null;
  /** Dollars of the calls and of the judges; `null` when nothing has a cost. */
  total_cost: number | null;
  /** What `total_cost` has of the calls; `judge_cost` is the rest. */
  call_cost: number | null;
  /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
  unpriced_count: number;
  total_tokens: number;
  failed_count: number;
  judge_tokens: number;
  /** Dollars; `null` when there is none. */
  judge_cost: number | null;
  /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
  judge_unpriced_count: number;
  /** Share of its datapoints that pass. `null` until the end, as the next three. */
  pass_rate: MeanRate | null;
  /** Milliseconds of a sample. */
  latency_ms: Amounts | null;
  /** Dollars of a sample, of its call and its judges. */
  sample_cost: Amounts | null;
  /** The mean score of each scorer by its name, also of those that do not count in `avg_score`. */
  scorer_scores: {
    [key: string]: {
      mean: number | null;
      se: number | null;
      ci: Interval | null;
      pass_rate: MeanRate;
    };
  } | null;
  /** Why the run failed, or that all of its items did and the commonest reason. */
  error: string | null;
  created_at: Timestamp;
  started_at: Timestamp | null;
  ended_at: Timestamp | null;
}

export interface DatapointRunResultList {
  results: DatapointRunResult[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface DatapointRunResult {
  status: 'pending' | 'running' | 'completed' | 'failed';
  /** The score of an item with several samples is the mean of those that have one. */
  score: number | null;
  /** Milliseconds that the successful attempt took; of an item with several samples their mean. */
  latency_ms: number | null;
  tokens: number | null;
  /** Dollars; `null` when there is none. */
  cost: number | null;
  /** Dollars; `null` when there is none. */
  judge_cost: number | null;
  run_id: string;
  run_name: string;
  model: string | null;
  repeats: number;
  /** Whether all of its samples that have a score pass. */
  passed: boolean | null;
  /** The sample with the lowest score, else the first that failed. */
  worst_repeat: number | null;
  /** The score of that sample. */
  worst_score: number | null;
  /** When the run was made. */
  created_at: Timestamp;
}

export interface EvalComparison {
  dataset_id: string;
  runs: {
    id: string;
    name: string;
    avg_score: number | null;
    /** Dollars; `null` when there is none. */
    total_cost: number | null;
    /** Dollars; `null` when there is none. */
    call_cost: number | null;
    /** Dollars; `null` when there is none. */
    judge_cost: number | null;
    /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
    unpriced_count: number;
  }[];
  comparisons: {
    datapoint_id: string;
    /** Any JSON. */
    input: unknown;
    expected: string | null;
    /** In the order of `runs`; all but `run_id` is `null` where the run did not have the datapoint. */
    results: {
      run_id: string;
      output: string | null;
      score: number | null;
      latency_ms: number | null;
      /** The trace of its calls, where the run was to make one; it may have been deleted since. */
      trace_id: string | null;
    }[];
  }[];
}

export interface ComparedItemList {
  summary: {
    /** Datapoints with a delta: the sum of the next three. */
    compared: number;
    regressed: number;
    improved: number;
    unchanged: number;
    /** Datapoints without a score in the baseline, or in all other runs, and those edited in between. */
    incomparable: number;
    /** Mean change of the score over the compared datapoints. */
    mean_delta: number | null;
  };
  items: ComparedItem[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface ComparedItem {
  datapoint_id: string;
  /** Any JSON. */
  input: unknown;
  expected: string | null;
  /** Score less that of the baseline: the largest fall of any run, else the largest rise. */
  delta: number | null;
  /** In the order of `runs`; all but `run_id` is `null` where the run did not have the datapoint. */
  results: {
    output: string | null;
    /** The score of an item with several samples is the mean of those that have one. */
    score: number | null;
    /** The scorer's, or `not scored` where there is an output that could not be scored; `error` says why. */
    score_reason: string | null;
    error: string | null;
    /** The trace of its calls, where the run was to make one; it may have been deleted since. */
    trace_id: string | null;
    run_id: string;
    status: 'pending' | 'running' | 'completed' | 'failed' | null;
    /** Whether the datapoint is another one than the baseline had. */
    edited: boolean | null;
    latency_ms: number | null;
    tokens: number | null;
    /** Dollars; `null` when there is none. */
    cost: number | null;
    /** Dollars; `null` when there is none. */
    judge_cost: number | null;
    /** Whether all of its samples that have a score pass; left out where `samples` are. */
    passed?: boolean | null;
    /** `null` where each datapoint is tried once; in lists with `include=samples`. */
    samples?: EvalSample[] | null;
    /** Where `samples` are listed: the one with the lowest score, else the first that failed. */
    worst_repeat?: number | null;
  }[];
}

/** An eval run with its items. */
export interface EvalRun extends EvalRunSummary {
  result_items: ResultItem[];
}

export interface EvalItemList {
  items: EvalItem[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface EvalItem extends ResultItem {
  kind?: DatapointKind;
}

export interface RetryEval {
  /** `failed`: samples that failed, called again; `pending`: those that were never called; `unscored`: those whose output has no score, the output scored again. */
  what: 'failed' | 'pending' | 'unscored';
  /** Another cost cap for a run that has one; `null` lifts it. */
  max_cost_usd?: number | null;
}

export interface EvalStatistics {
  run_id: string;
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
  repeats: number;
  datapoints: number;
  /** All samples of the run, including those that failed and those that are not processed yet. */
  samples: number;
  failed_samples: number;
  /** Samples whose answer an earlier run had: their calls cost nothing. */
  reused_samples: number;
  pending_samples: number;
  pass_score: number;
  failed_as: 'excluded' | 'zero';
  cluster_by: string | null;
  score: ScoreStatistics;
  scorers: {
    [key: string]: ScoreStatistics;
  };
  latency_ms: Amounts;
  /** Dollars of samples: of the call and of its judges. */
  cost: {
    count: number;
    mean: number | null;
    /** 95% interval of the mean. */
    ci: Interval | null;
    p50: number | null;
    p95: number | null;
    max: number | null;
    total: number | null;
  };
  /** What `cost.total` has of the calls; `judge_cost` is the rest. */
  call_cost: number | null;
  judge_cost: number | null;
  tokens: number;
  comparison: {
    baseline_run_id: string;
    alpha: number;
    comparable: {
      /** Whether the combined scores were made alike. */
      score: boolean;
      /** Whether the scores of each scorer that both runs have can be compared, by its name. */
      scorers: {
        [key: string]: boolean;
      };
      /** In what the two were scored differently. */
      differences: RunDifference[];
    };
    /** In what the two differ beside their scoring: model, prompt, parameters, the datapoints taken. */
    differences: RunDifference[];
    pairs: number;
    /** Datapoints that differ between the two snapshots, and are left out. */
    changed: number;
    unpaired_run: number;
    unpaired_baseline: number;
    score: ScoreComparison;
    scorers: {
      [key: string]: ScoreComparison;
    };
    failures: {
      /** Samples, by datapoint and repeat, that both runs have processed. */
      pairs: number;
      /** Those of them that failed in the run. */
      run: number;
      baseline: number;
      /** Those that failed in the run alone. */
      new: number;
      /** Those that failed in the baseline alone. */
      recovered: number;
      /** The share of failed ones in the run less that in the baseline. */
      diff: number | null;
      test: 'mcnemar_exact' | null;
      p_value: number | null;
      verdict: 'better' | 'worse' | 'no_difference' | 'unknown';
    };
    latency_ms: {
      pairs: number;
      clusters: number;
      diff: number | null;
      se: number | null;
      ci: {
        low: number;
        high: number;
        level: number;
        method: 'wilson' | 't';
      } | null;
      /** That of the pairs in the baseline. */
      baseline_mean: number | null;
      test: 'paired_t' | null;
      p_value: number | null;
    };
    cost: {
      pairs: number;
      clusters: number;
      diff: number | null;
      se: number | null;
      ci: {
        low: number;
        high: number;
        level: number;
        method: 'wilson' | 't';
      } | null;
      /** That of the pairs in the baseline. */
      baseline_mean: number | null;
      test: 'paired_t' | null;
      p_value: number | null;
    };
    /** The verdict in words, on quality, cost and speed. */
    summary: string;
  } | null;
  /** Absent where it was not asked for, like `groups`. */
  group_by?: string[];
  groups?: GroupStatistics[];
  /** How `p_holm` of groups is corrected; absent without a comparison. */
  correction?: {
    method: 'holm';
    /** Groups with a p value. */
    tests: number;
  };
}

export interface ScoreStatistics {
  /** Datapoints with a score that counts. */
  datapoints: number;
  /** Samples that count. */
  samples: number;
  clusters: number;
  /** Mean score, in which each datapoint counts once. */
  mean: number | null;
  se: number | null;
  ci: Interval | null;
  /** Standard deviation between the samples of one datapoint. */
  within_sd: number | null;
  min: number | null;
  max: number | null;
  pass_rate: MeanRate;
  pass_k: {
    k: number;
    /** Datapoints with at least k samples. */
    datapoints: number;
    pass_at_k: number | null;
    pass_at_k_se: number | null;
    pass_hat_k: number | null;
    pass_hat_k_se: number | null;
  }[];
  flaky_datapoints: number;
  always_passed: number;
  never_passed: number;
  min_datapoint_pass_rate: number | null;
  /** What a scorer says that compares with the baseline of the run; absent for others. */
  preference?: PreferenceStatistics;
}

export interface PreferenceStatistics {
  /** Datapoints whose mean score is above 0.5: the run's answer is preferred. */
  wins: number;
  ties: number;
  losses: number;
  /** The p-value of the exact sign test on wins and losses. */
  p_value: number | null;
  /** Datapoints that a judge was asked about: equal answers are a tie without it. */
  judged: number;
  /** The share of the calls with a preference that preferred the answer shown first: 0.5 without a position bias. */
  first_preferred: {
    rate: number;
    ci: Interval;
  } | null;
  /** How often the two orders had different answers. */
  self_disagreement: {
    rate: number;
    ci: Interval;
  } | null;
}

export interface RunDifference {
  /** The path of a member, such as `scorers.tone.judge.model` or `config.system_prompt`. */
  what: string;
  /** Any JSON. */
  run: unknown;
  /** Any JSON. */
  baseline: unknown;
}

export interface ScoreComparison {
  pairs: number;
  clusters: number;
  diff: number | null;
  se: number | null;
  ci: {
    low: number;
    high: number;
    level: number;
    method: 'wilson' | 't';
  } | null;
  better: number;
  worse: number;
  same: number;
  test: 'mcnemar_exact' | 'paired_t' | 'sign_exact' | null;
  p_value: number | null;
  verdict: 'better' | 'worse' | 'no_difference' | 'unknown';
  /** The difference that a comparison of so many datapoints shows in four of five cases. */
  detectable_diff: number | null;
}

export interface GroupStatistics extends ScoreStatistics {
  /** The value of each key; `null` where the datapoints have none. */
  group: {
    [key: string]: unknown;
  };
  /** Datapoints with a score that counts. */
  n: number;
  failed_samples: number;
  scorers: {
    [key: string]: ScoreStatistics;
  };
  comparison: {
    pairs: number;
    clusters: number;
    diff: number | null;
    se: number | null;
    ci: {
      low: number;
      high: number;
      level: number;
      method: 'wilson' | 't';
    } | null;
    better: number;
    worse: number;
    same: number;
    test: 'mcnemar_exact' | 'paired_t' | 'sign_exact' | null;
    p_value: number | null;
    /** By `p_holm`. */
    verdict: 'better' | 'worse' | 'no_difference' | 'unknown';
    /** The difference that a comparison of so many datapoints shows in four of five cases. */
    detectable_diff: number | null;
    /** The p value corrected by Holm for all groups of the answer. */
    p_holm: number | null;
    scorers: {
      [key: string]: {
        pairs: number;
        clusters: number;
        diff: number | null;
        se: number | null;
        ci: {
          low: number;
          high: number;
          level: number;
          method: 'wilson' | 't';
        } | null;
        better: number;
        worse: number;
        same: number;
        test: 'mcnemar_exact' | 'paired_t' | 'sign_exact' | null;
        p_value: number | null;
        /** By `p_holm`. */
        verdict: 'better' | 'worse' | 'no_difference' | 'unknown';
        /** The difference that a comparison of so many datapoints shows in four of five cases. */
        detectable_diff: number | null;
        /** The p value corrected by Holm for all groups of the answer. */
        p_holm: number | null;
      };
    };
  } | null;
}

export interface JudgeAgreement {
  /** The reviewers' score; `null` where there is none. */
  name: string | null;
  scorer: string | null;
  /** Datapoints with a majority of reviewers and a verdict of the run. */
  units: number;
  percent_agreement: number | null;
  cohen_kappa: number | null;
  /** How often the run passes what reviewers pass. */
  true_pass_rate: WilsonRate | null;
  /** How often the run fails what reviewers fail. */
  true_fail_rate: WilsonRate | null;
  /** The run's verdicts, right or wrong by the reviewers' majority. */
  confusion: {
    true_pass: number;
    false_pass: number;
    false_fail: number;
    true_fail: number;
  };
}

export interface EvalMetadata {
  keys: {
    key: string;
    /** Datapoints that have it, `null` not counted. */
    datapoints: number;
    /** The first 200 values. */
    values: unknown[];
    /** Whether there are other values, or too long ones: nothing is grouped by it. */
    has_more: boolean;
  }[];
}

/** Takes the place of the gates of the run. */
export interface SetEvalGates {
  gates: EvalGate[];
}

export interface ExternalResult {
  datapoint_id: string;
  /** 0 when left out. */
  repeat?: number | null;
  output?: string | null;
  error?: string | null;
  /** Scores by the name of the `External` scorer. */
  scores?: {
    [key: string]:
      | number
      | {
          score: number;
          reason?: string | null;
        };
  } | null;
  latency_ms?: number | null;
  input_tokens?: number | null;
  output_tokens?: number | null;
  /** Dollars; priced from model and tokens when left out. */
  cost?: number | null;
  trace_id?: string | null;
  span_id?: string | null;
  metadata?: {
    [key: string]: unknown;
  } | null;
}

export interface AddEvalResults {
  results: ExternalResult[];
  /** `replace`: takes the place of a result that is there. `reject` when left out. */
  on_conflict?: 'reject' | 'replace' | null;
}

export interface AddedEvalResults {
  /** Results taken, including those that were there already. */
  accepted: number;
  rejected: {
    index: number;
    code: string;
    message: string;
  }[];
}

export interface CreateScoringRule {
  name: string;
  /** `true` when left out. */
  enabled?: boolean | null;
  /** What is judged; `span` when left out. */
  target?: 'span' | 'trace' | 'session' | null;
  /** How long a trace or a session must have been quiet: 30 s and 30 min when left out. */
  quiet_ms?: number | null;
  filters?: ScoringFilters | null;
  /** 1 when left out. */
  sample_rate?: number | null;
  /** Rules of one cohort look at the same traces; the id of the project when left out. */
  cohort?: string | null;
  /** `ended` when left out. */
  trigger?: 'ended' | 'score' | null;
  /** Needed with the trigger `score`. */
  on_score?: OnScore | null;
  /** A scoring strategy that needs no expected value, see `scorers` of the capabilities. */
  scoring: string;
  scoring_config?: {
    [key: string]: unknown;
  } | null;
  /** The model that is asked; needed by strategies that ask one. */
  judge?: JudgeChoice | null;
  /** The name of the scores; that of the rule when left out. */
  score_name?: string | null;
  /** Dollars that its calls may cost in a day, UTC. */
  max_cost_usd_per_day?: number | null;
}

/** All given must hold. */
export interface ScoringFilters extends CaptureFilters {
  /** Tags that the trace must not have; `["eval", "try"]` when left out. */
  exclude_tag?: string[] | null;
}

/** The score that has a rule judge: all members given must be its own. */
export interface OnScore {
  name: string;
  source?: 'human' | 'code' | 'end_user' | null;
  value?: number | null;
  label?: string | null;
}

export interface ScoringRule extends ExportedScoringRule {
  /** Dollars, since midnight UTC. */
  spent_today: number;
  last_error: string | null;
  state: ScoringState;
  /** The last one. */
  backfill: ScoringBackfill | null;
  /** Since when it decides as it does: what ended before is for a backfill. */
  since: Timestamp;
}

/** What the rule did within 24 hours, and what waits. */
export interface ScoringState {
  /** What passed the filters; of traces and sessions those in the sample alone. */
  matched: number;
  sampled: number;
  scored: number;
  failed: number;
  skipped: {
    budget: number;
    overload: number;
  };
  /** The last 24 hours, oldest first; hours in which nothing happened are left out. */
  hours: {
    timestamp: Timestamp;
    /** What passed the filters; of traces and sessions those in the sample alone. */
    matched: number;
    sampled: number;
    scored: number;
    failed: number;
    skipped: {
      budget: number;
      overload: number;
    };
  }[];
  pending: number;
  /** Since when the oldest waits that is pending. */
  oldest_pending_s: number | null;
  /** For how long the oldest could have been judged; 0 when the rule keeps up. */
  lag_s: number;
}

export interface ScoringBackfill {
  /** `stopped`: its money is spent. */
  status: 'running' | 'completed' | 'stopped';
  since: Timestamp | null;
  until: Timestamp;
  max: number;
  max_cost_usd: number | null;
  matched: number;
  /** What is to be judged, without what has its score already. */
  sampled: number;
  spent_usd: number;
  started_at: Timestamp;
}

export interface ScoringRuleList {
  scoring_rules: ScoringRule[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** Only members given change; objects are replaced whole. */
export interface UpdateScoringRule {
  name?: string;
  /** `true` when left out. */
  enabled?: boolean | null;
  /** What is judged; `span` when left out. */
  target?: 'span' | 'trace' | 'session' | null;
  /** How long a trace or a session must have been quiet: 30 s and 30 min when left out. */
  quiet_ms?: number | null;
  filters?: ScoringFilters | null;
  /** 1 when left out. */
  sample_rate?: number | null;
  /** Rules of one cohort look at the same traces; the id of the project when left out. */
  cohort?: string | null;
  /** `ended` when left out. */
  trigger?: 'ended' | 'score' | null;
  /** Needed with the trigger `score`. */
  on_score?: OnScore | null;
  scoring?: string;
  scoring_config?: {
    [key: string]: unknown;
  } | null;
  /** The model that is asked; needed by strategies that ask one. */
  judge?: JudgeChoice | null;
  /** The name of the scores; that of the rule when left out. */
  score_name?: string | null;
  /** Dollars that its calls may cost in a day, UTC. */
  max_cost_usd_per_day?: number | null;
}

export interface ScoringExplanation {
  decision:
    | 'scored'
    | 'pending'
    | 'sampled_out'
    | 'filtered'
    | 'budget'
    | 'disabled'
    | 'not_ended'
    | 'unpriced'
    | 'failed'
    | 'overload';
  /** The filter that did not hold. */
  failed_filter: string | null;
  /** By what the sample takes it or not, 16 hex digits. */
  hash: string;
  sample_rate: number;
  since: Timestamp;
  /** Those that failed, oldest first; `status` is the HTTP status of a refusal. */
  attempts: {
    at: Timestamp;
    error: string | null;
    status: number | null;
  }[];
  next_try_at: Timestamp | null;
  score_id: string | null;
}

export interface TestScoringRule {
  span_id?: string;
  trace_id?: string;
  session_id?: string;
}

export interface ScoringTest {
  /** What the judge was asked. */
  prompt:
    | {
        role: string;
        content: unknown;
      }[]
    | null;
  /** What it answered, as it came. */
  answer: string | null;
  score: {
    value: number | null;
    comment: string | null;
  } | null;
  error: string | null;
  model: string | null;
  tokens: number | null;
  /** Dollars. */
  cost: number | null;
}

export interface BackfillScoring {
  /**
   * Spans that started then or later; all when left out.
   * @example 2026-11-20T09:00:00.000Z
   */
  since?: string | null;
  /**
   * Spans that started before; now when left out.
   * @example 2026-11-20T09:00:00.000Z
   */
  until?: string | null;
  /** 1,000 when left out. */
  max?: number | null;
  /** Dollars that its calls may cost. */
  max_cost_usd?: number | null;
  /** Counts, and writes nothing. */
  dry_run?: boolean | null;
}

export interface ScoringBackfillAnswer {
  status: 'dry_run' | 'running' | 'completed' | 'stopped';
  since: Timestamp | null;
  until: Timestamp;
  max: number;
  max_cost_usd: number | null;
  matched: number;
  /** What is to be judged, without what has its score already. */
  sampled: number;
  spent_usd: number;
  started_at: Timestamp;
  /** What the rule paid for a score so far, for each; `null`: not known. */
  estimated_cost_usd: number | null;
}

export interface TryCall {
  /** The recorded call that it is like; what is left out is of this one. */
  span_id?: string | null;
  messages?:
    | ({
        role: string;
        /** Text, parts, an object, or nothing. */
        content?:
          | string
          | unknown[]
          | {
              [key: string]: unknown;
            }
          | null;
      } & {
        [key: string]: unknown;
      })[]
    | null;
  /** Made to the messages. */
  changes?: {
    system_prompt?: SystemPromptChange | null;
    /** Other contents of single messages. */
    messages?:
      | {
          /** From 0. */
          index: number;
          /** Any JSON. */
          content: unknown;
        }[]
      | null;
  } | null;
  connection_id: string;
  /** The connection's `default_model` when left out. */
  model?: string | null;
  /** `temperature`, `max_tokens` and others, in the names of the provider. */
  parameters?: {
    [key: string]: unknown;
  } | null;
  /** Definitions as any API has them. */
  tools?: unknown[] | null;
  /** How often it is called, one after another; 1 when left out. */
  n?: number | null;
  /**
   * The trace that records it; an earlier try, or a new one.
   * @example order-42:step.1
   */
  trace_id?: string | null;
}

export type SystemPromptChange =
  | {
      replace: string;
    }
  | {
      prepend: string;
    }
  | {
      append: string;
    };

export type TryEvent =
  | {
      type: 'begun';
      run: number;
      trace_id: string;
      span_id: string;
    }
  | {
      type: 'delta';
      run: number;
      text?: string;
      reasoning?: string;
      /** The name of a tool whose call begins. */
      tool_call?: string;
    }
  | {
      /** From 0. */
      run: number;
      span_id: string;
      /** The model that answered, where the answer says. */
      model: string;
      /** The answer in the form that spans have, with `tool_calls` and `reasoning` where there are any. */
      output: {
        text: string | null;
        finish_reason: string | null;
      } & {
        [key: string]: unknown;
      };
      input_tokens: number | null;
      output_tokens: number | null;
      /** Dollars; `null` where nothing says. */
      cost: number | null;
      latency_ms: number;
      time_to_first_token_ms: number | null;
      type: 'run';
    }
  | {
      type: 'done';
      trace_id: string;
      runs: TryRun[];
    }
  | {
      type: 'error';
      run: number;
      trace_id: string;
      span_id: string;
      code:
        | 'validation_failed'
        | 'malformed_json'
        | 'malformed_request'
        | 'invalid_cursor'
        | 'eval_run_not_running'
        | 'nothing_to_score'
        | 'nothing_to_evaluate'
        | 'nothing_to_replay'
        | 'nothing_to_retry'
        | 'unauthenticated'
        | 'insufficient_scope'
        | 'host_not_allowed'
        | 'target_not_allowed'
        | 'not_found'
        | 'trace_not_found'
        | 'span_not_found'
        | 'user_not_found'
        | 'score_not_found'
        | 'score_definition_not_found'
        | 'alert_not_found'
        | 'alert_channel_not_found'
        | 'session_not_found'
        | 'dataset_not_found'
        | 'datapoint_not_found'
        | 'capture_rule_not_found'
        | 'scoring_rule_not_found'
        | 'connection_not_found'
        | 'replay_not_found'
        | 'eval_run_not_found'
        | 'organization_not_found'
        | 'project_not_found'
        | 'key_not_found'
        | 'member_not_found'
        | 'view_not_found'
        | 'board_not_found'
        | 'comment_not_found'
        | 'share_not_found'
        | 'queue_item_not_found'
        | 'method_not_allowed'
        | 'request_timeout'
        | 'id_conflict'
        | 'span_already_finished'
        | 'eval_run_not_external'
        | 'eval_run_not_over'
        | 'queue_item_already_claimed'
        | 'queue_item_already_reviewed'
        | 'queue_item_not_assigned'
        | 'queue_item_not_claimed'
        | 'queue_item_completed'
        | 'project_protected'
        | 'member_exists'
        | 'member_from_groups'
        | 'last_owner'
        | 'being_deleted'
        | 'connection_in_use'
        | 'cassette_miss'
        | 'payload_too_large'
        | 'unsupported_media_type'
        | 'range_too_large'
        | 'cost_too_high'
        | 'http_required'
        | 'rate_limited'
        | 'too_many_wrong_credentials'
        | 'headers_too_large'
        | 'internal'
        | 'not_implemented'
        | 'search_not_available'
        | 'bad_gateway'
        | 'unavailable'
        | 'texts_unavailable';
      detail: string;
    };

export interface TryRun {
  /** From 0. */
  run: number;
  span_id: string;
  /** The model that answered, where the answer says. */
  model: string;
  /** The answer in the form that spans have, with `tool_calls` and `reasoning` where there are any. */
  output: {
    text: string | null;
    finish_reason: string | null;
  } & {
    [key: string]: unknown;
  };
  input_tokens: number | null;
  output_tokens: number | null;
  /** Dollars; `null` where nothing says. */
  cost: number | null;
  latency_ms: number;
  time_to_first_token_ms: number | null;
}

export interface StartReplay {
  /** @example order-42:step.1 */
  id?: string | null;
  name: string;
  source: ReplaySource;
  change: ReplayChange;
  /** The name of a scorer that is built in (`ExactMatch`, `LlmJudge`, `Regex` …) or loaded: `GET /api/capabilities` lists them. Required, unless there are `scorers`. */
  scoring?: string;
  /** Checked by the scoring plugin's own schema. */
  scoring_config?: {
    [key: string]: unknown;
  } | null;
  /** Several scorers, in the place of `scoring` and `scoring_config`. */
  scorers?: StartEvalScorer[] | null;
  /** What is left out is that of `change`. */
  judge?: JudgeChoice | null;
  /** How often each datapoint is tried; 1 when left out. */
  repeats?: number | null;
  /** Dollars that the calls of the run and its judges may cost. */
  max_cost_usd?: number | null;
  /** That of scorers which have none of their own, and of the score in the mode `mean`. Left out: that of the scorer, where one alone counts, else 1. */
  pass_score?: number | null;
  /** `all`, when left out: a sample passes when every scorer with a weight reaches its own pass score. `mean`: when its score reaches `pass_score`. */
  pass_mode?: 'mean' | 'all' | null;
  /** Gates that compare do so with what was recorded, unless they name another run. */
  gates?: EvalGate[] | null;
  /** Texts by key: commit, branch … */
  metadata?: {
    [key: string]: string;
  } | null;
}

export interface ReplaySource {
  span_ids?: string[] | null;
  /** The filters of `GET /api/spans`. LLM calls alone unless `kind` says otherwise, and none of evaluations. */
  filters?: {
    ids?: string | string[];
    trace_id?: string;
    parent_id?: string;
    /** Spans of traces of this session. */
    session_id?: string;
    /** Spans of traces of this user. */
    user_id?: string;
    tag?: string | string[];
    /** `kind.type`. */
    kind?: string;
    model?: string;
    provider?: string;
    status?: 'running' | 'completed' | 'failed';
    /**
     * Spans that started then or later.
     * @example 2026-11-20T09:00:00.000Z
     */
    since?: string;
    /**
     * Spans that started before.
     * @example 2026-11-20T09:00:00.000Z
     */
    until?: string;
    /** A literal substring of the name. */
    name_contains?: string;
    /** A literal substring of input or output. */
    text_contains?: string;
    input_contains?: string;
    output_contains?: string;
    /** A literal substring of the error of a failed span. */
    error_contains?: string;
    /** Milliseconds. */
    duration_min?: number;
    /** Milliseconds. */
    duration_max?: number;
    tokens_min?: number;
    /** Dollars. */
    cost_min?: number;
    /** `metadata.KEY=VALUE`: spans with this value, or this JSON, as a member of their own metadata; may come for several keys. */
    metadata?: {
      [key: string]: string;
    };
    score?: string | string[];
  };
  /** So many of the spans, chosen by chance. */
  sample?: number | null;
  /** The same seed chooses the same spans; 0 when left out. */
  seed?: number | null;
  /** At most so many, the newest ones; 1000 when left out without `sample`. */
  max?: number | null;
}

export interface ReplayChange {
  connection_id: string;
  /** Left out: the connection's `default_model`, or else the recorded one where all spans have the same. */
  model?: string | null;
  system_prompt?: SystemPromptChange | null;
  /** What is left out is as it was recorded. */
  parameters?: {
    temperature?: number | null;
    max_tokens?: number | null;
    /** How providers in the format of OpenAI are sent `max_tokens`; the provider's own way when left out. */
    max_tokens_member?: 'max_tokens' | 'max_completion_tokens' | null;
  } | null;
}

export interface Replay {
  id: string;
  name: string;
  /** `ready`: dataset and both runs are there. */
  status: 'preparing' | 'ready' | 'failed';
  /** Why it failed. */
  error: string | null;
  dataset_id: string;
  /** The run whose results are those that were recorded. */
  baseline_run_id: string;
  run_id: string;
  /** What was sent; `change` likewise. */
  source: {
    [key: string]: unknown;
  };
  change: {
    [key: string]: unknown;
  };
  /** Spans that were named, or that the filters take. */
  matched: number;
  /** How many of them are in the sample, at most `max`. */
  taken: number;
  /** How many of these are replayed; the others are left out. */
  replayed: number;
  left_out: {
    reason:
      | 'not_found'
      | 'not_llm_call'
      | 'running'
      | 'failed'
      | 'truncated'
      | 'masked'
      | 'no_messages'
      | 'no_answer'
      | 'too_deep';
    count: number;
    /** The first 100. */
    span_ids: string[];
  }[];
  created_at: Timestamp;
}

export interface ReplayList {
  replays: Replay[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface AnalyticsGroups {
  /** The groups, the one with most of `order_by` first. */
  groups: {
    /** A value for each of `group_by`; `null` for spans that have none. */
    keys: (string | null)[];
    /** How many are counted: spans, LLM calls or traces. */
    span_count: number;
    /** Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is. */
    cost: number | null;
    /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
    unpriced_count: number;
    tokens: number;
    /** Those of inputs, cached ones included; `null` of traces. */
    input_tokens: number | null;
    /** `null` of traces. */
    output_tokens: number | null;
    /** Those of inputs that were read from a cache; `null` of traces. */
    cached_input_tokens: number | null;
    avg_latency_ms: number | null;
    /** How many have ended, which latencies are of. */
    finished_count: number;
    error_count: number;
    /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
    p50_ms?: number | null;
    /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
    p95_ms?: number | null;
    /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
    p99_ms?: number | null;
    /** Failed of all finished spans; `null` when there is none. */
    error_rate: number | null;
    /** Milliseconds to the first token, over spans that have it; with `first_token` alone. */
    first_token_p50_ms?: number | null;
    /** Milliseconds to the first token, over spans that have it; with `first_token` alone. */
    first_token_p95_ms?: number | null;
    /** Milliseconds to the first token, over spans that have it; with `first_token` alone. */
    first_token_p99_ms?: number | null;
    /** With `score`: how many scores of this name have a value. */
    score_count?: number;
    /** With `score`: their mean. */
    score_mean?: number | null;
    /** With `bucket`: those that have spans, oldest first. */
    buckets?: AnalyticsGroupBucket[];
  }[];
  /** All spans that are in none of the groups; `null` when there are none. */
  other: AnalyticsGroupSums | null;
  /** All spans that match, each once. */
  total: AnalyticsGroupSums;
  /** With `bucket`: how wide buckets are. */
  bucket?: 'minute' | 'hour' | 'day' | 'week';
  /** Whether sums that are kept answered, or spans were read. */
  source: 'sums' | 'spans';
  /** With percentiles: how far each lies from the exact one at most, as a part of it. */
  percentile_error?: number;
}

export interface AnalyticsGroupBucket {
  /** How many are counted: spans, LLM calls or traces. */
  span_count: number;
  /** Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is. */
  cost: number | null;
  /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
  unpriced_count: number;
  tokens: number;
  /** Those of inputs, cached ones included; `null` of traces. */
  input_tokens: number | null;
  /** `null` of traces. */
  output_tokens: number | null;
  /** Those of inputs that were read from a cache; `null` of traces. */
  cached_input_tokens: number | null;
  avg_latency_ms: number | null;
  /** How many have ended, which latencies are of. */
  finished_count: number;
  error_count: number;
  /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
  p50_ms?: number | null;
  /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
  p95_ms?: number | null;
  /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
  p99_ms?: number | null;
  /** Failed of all finished spans; `null` when there is none. */
  error_rate: number | null;
  /** Milliseconds to the first token, over spans that have it; with `first_token` alone. */
  first_token_p50_ms?: number | null;
  /** Milliseconds to the first token, over spans that have it; with `first_token` alone. */
  first_token_p95_ms?: number | null;
  /** Milliseconds to the first token, over spans that have it; with `first_token` alone. */
  first_token_p99_ms?: number | null;
  /** With `score`: how many scores of this name have a value. */
  score_count?: number;
  /** With `score`: their mean. */
  score_mean?: number | null;
  timestamp: string;
}

export interface AnalyticsGroupSums {
  /** How many are counted: spans, LLM calls or traces. */
  span_count: number;
  /** Dollars; 0 when nothing cost anything, `null` when unpriced spans are all there is. */
  cost: number | null;
  /** How many finished with tokens and without a cost: the cost beside it leaves them out. */
  unpriced_count: number;
  tokens: number;
  /** Those of inputs, cached ones included; `null` of traces. */
  input_tokens: number | null;
  /** `null` of traces. */
  output_tokens: number | null;
  /** Those of inputs that were read from a cache; `null` of traces. */
  cached_input_tokens: number | null;
  avg_latency_ms: number | null;
  /** How many have ended, which latencies are of. */
  finished_count: number;
  error_count: number;
  /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
  p50_ms?: number | null;
  /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
  p95_ms?: number | null;
  /** Milliseconds, over finished spans; `null` when there is none, left out unless asked for. */
  p99_ms?: number | null;
  /** Failed of all finished spans; `null` when there is none. */
  error_rate: number | null;
  /** Milliseconds to the first token, over spans that have it; with `first_token` alone. */
  first_token_p50_ms?: number | null;
  /** Milliseconds to the first token, over spans that have it; with `first_token` alone. */
  first_token_p95_ms?: number | null;
  /** Milliseconds to the first token, over spans that have it; with `first_token` alone. */
  first_token_p99_ms?: number | null;
  /** With `score`: how many scores of this name have a value. */
  score_count?: number;
  /** With `score`: their mean. */
  score_mean?: number | null;
  /** With `bucket`: those that have spans, oldest first. */
  buckets?: AnalyticsGroupBucket[];
}

export interface CreateAlert {
  name: string;
  /** `true` when left out. */
  enabled?: boolean | null;
  measure: AlertMeasure;
  filters?: AlertFilters | null;
  /** `none` when left out. */
  group_by?: 'none' | 'user' | 'model' | 'tag' | 'session' | null;
  /** `5m` to `30d`, up to now. */
  window: string;
  condition: AlertCondition;
  /** Below so many spans, calls or scores there is no data. */
  min_count?: number | null;
  /** How long the condition must hold before the alert fires, such as `10m`. */
  for?: string | null;
  /** For so long after a firing was sent no other of the same group is. */
  cooldown?: string | null;
  channel_ids?: string[] | null;
  /** `warning` when left out. */
  severity?: 'info' | 'warning' | 'critical' | null;
}

export type AlertMeasure =
  | 'cost'
  | 'tokens'
  | 'calls'
  | 'error_rate'
  | 'latency_p95'
  | 'unpriced'
  | 'score_mean'
  | 'score_pass_rate'
  | 'scoring_stalled';

/** All given must hold. */
export interface AlertFilters {
  model?: string | null;
  /** Not of scores. */
  provider?: string | null;
  /** A tag of the trace. */
  tag?: string | null;
  /** The trace's `user_id`. */
  user?: string | null;
  /** The trace's `session_id`. */
  session?: string | null;
  /** The name of the trace. */
  name?: string | null;
  /** The scores that are measured; of scores alone, which need it. */
  score_name?: string | null;
}

export type AlertCondition =
  | {
      op: '>' | '<';
      value: number;
    }
  | {
      /** `>`: it rose by more, `<`: it fell by more. */
      change: '>' | '<';
      percent: number;
      against: 'previous' | 'same_hour_last_week';
    };

export interface Alert extends ExportedAlert {
  /** `no_data` until it was evaluated, and while it is off. */
  state: 'ok' | 'firing' | 'no_data';
  state_since: Timestamp;
  /** What was measured last; of several groups the furthest; `null` without data. */
  last_value: number | null;
  /** What fires now: `key` is the user, model, tag or session, `null` without `group_by`. */
  firing: {
    key: string | null;
    /** What was measured; `null` without data. */
    value: number | null;
    since: Timestamp;
  }[];
  /** The last evaluation; `null` before the first. */
  explain: AlertEvaluation | null;
}

export interface AlertEvaluation {
  at: Timestamp;
  /** Start of the window. */
  since: Timestamp;
  /** End of the window. */
  until: Timestamp;
  /** Start of the window it is compared with, for a change. */
  compared_since: Timestamp | null;
  /** What was read: sums that are kept, or all of the window. */
  source: 'rollups' | 'spans' | 'scores' | 'scoring_rules';
  /** `null`: it failed, and the state stayed. */
  decision: 'ok' | 'firing' | 'no_data' | null;
  /** The decision in a sentence, or the error. */
  reason: string;
  /** The first 20, those for which the condition holds first. */
  groups: {
    /** User, model, tag or session; `null` without `group_by`. */
    key: string | null;
    /** What was measured; `null` without data. */
    value: number | null;
    /** Spans, calls or scores behind it. */
    count: number;
    /** What it is compared with, for a change; `null` without that. */
    compared: number | null;
    change_percent: number | null;
    /** Whether the condition holds; `null` without data. */
    holds: boolean | null;
  }[];
  group_count: number;
}

export interface AlertList {
  alerts: Alert[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** Only members given change; `filters` and `condition` are replaced whole. */
export interface UpdateAlert {
  name?: string;
  /** `true` when left out. */
  enabled?: boolean | null;
  measure?: AlertMeasure;
  filters?: AlertFilters | null;
  /** `none` when left out. */
  group_by?: 'none' | 'user' | 'model' | 'tag' | 'session' | null;
  /** `5m` to `30d`, up to now. */
  window?: string;
  condition?: AlertCondition;
  /** Below so many spans, calls or scores there is no data. */
  min_count?: number | null;
  /** How long the condition must hold before the alert fires, such as `10m`. */
  for?: string | null;
  /** For so long after a firing was sent no other of the same group is. */
  cooldown?: string | null;
  channel_ids?: string[] | null;
  /** `warning` when left out. */
  severity?: 'info' | 'warning' | 'critical' | null;
}

export interface AlertHistory {
  changes: AlertChange[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface AlertChange {
  id: string;
  at: Timestamp;
  key: string | null;
  from: 'ok' | 'firing' | 'no_data';
  to: 'ok' | 'firing' | 'no_data';
  /** What was measured; `null` without data. */
  value: number | null;
}

export interface AlertSeries {
  /** Milliseconds between two moments: the window, a day at most. */
  step_ms: number;
  /** Oldest first; the last is now. */
  moments: string[];
  /** The groups that went furthest, 8 at most. */
  series: {
    /** User, model, tag or session; `null` without `group_by`. */
    key: string | null;
    /** What is measured at each moment, of the window before it. */
    values: (number | null)[];
    change_percents: (number | null)[];
  }[];
}

export interface CreateAlertChannel {
  kind: 'webhook' | 'slack' | 'teams' | 'email';
  name: string;
  /** Where it sends to; of all kinds but email. Never shown again. */
  url?: string | null;
  /** Signs what a webhook is sent. Never shown again. */
  secret?: string | null;
  /** Addresses, of email alone. */
  to?: string[] | null;
}

export interface AlertChannel {
  id: string;
  name: string;
  kind: 'webhook' | 'slack' | 'teams' | 'email';
  /** Scheme, host and port that it sends to; `null` for email, and until it has a url. */
  host: string | null;
  to: string[];
  /** Whether what is sent is signed. */
  signed: boolean;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface AlertChannelList {
  channels: AlertChannel[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface UpdateAlertChannel {
  name?: string;
  /** Where it sends to; of all kinds but email. Never shown again. */
  url?: string | null;
  /** Signs what a webhook is sent. Never shown again. */
  secret?: string | null;
  /** Addresses, of email alone. */
  to?: string[] | null;
}

export interface AlertDeliveryList {
  deliveries: AlertDelivery[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface AlertDelivery {
  id: string;
  channel_id: string;
  /** `null` of a mention. */
  alert_id: string | null;
  /** The comment of a mention. */
  comment_id: string | null;
  key: string | null;
  event: 'firing' | 'resolved' | 'mention';
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** Status of the last answer. */
  status_code: number | null;
  last_error: string | null;
  next_try_at: Timestamp | null;
  delivered_at: Timestamp | null;
  created_at: Timestamp;
}

export interface AlertChannelTest {
  ok: boolean;
  /** The status of the answer; `null` without one, and of email. */
  status: number | null;
  error: string | null;
  latency_ms: number;
}

export interface CreateView {
  name: string;
  page: 'traces' | 'spans' | 'sessions' | 'users' | 'analytics' | 'datasets' | 'evaluations' | 'events';
  /** The query string of the page's address, without `?`. */
  query: string;
  /**
   * Who sees it: who makes it alone, or the project. Local mode has `project` alone.
   * @default project
   */
  scope?: 'me' | 'project';
}

export interface SavedView {
  name: string;
  page: 'traces' | 'spans' | 'sessions' | 'users' | 'analytics' | 'datasets' | 'evaluations' | 'events';
  /** The query string of the page's address, without `?`. */
  query: string;
  /** Who sees it: who makes it alone, or the project. Local mode has `project` alone. */
  scope: 'me' | 'project';
  id: string;
  created_by: Author;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface Author {
  /** `person:<id>`, `key:<id>` or `jwt:<sub>`, as in the audit log; `local` in local mode. */
  id: string;
  /** What they were called then; `null` where nobody knows. */
  name: string | null;
}

export interface SavedViewList {
  views: SavedView[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** Only members given change. */
export interface UpdateView {
  name?: string;
  /** The query string of the page's address, without `?`. */
  query?: string;
  /** Who sees it: who makes it alone, or the project. Local mode has `project` alone. */
  scope?: 'me' | 'project';
}

export interface CreateBoard {
  name: string;
  figures: BoardFigure[];
}

export interface BoardFigure {
  title: string;
  figure: 'cost' | 'tokens' | 'spans' | 'calls' | 'latency' | 'errors' | 'scores';
  /** The query string of the page's address, without `?`. */
  query: string;
}

export interface Board {
  id: string;
  name: string;
  figures: BoardFigure[];
  /** Whether it comes with the product: to delete it is to hide it. */
  built_in: boolean;
  hidden: boolean;
  /** `null`, as the times are: nobody has changed what the product has. */
  created_by: Author | null;
  created_at: Timestamp | null;
  updated_at: Timestamp | null;
}

export interface BoardList {
  boards: Board[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** Only members given change. */
export interface UpdateBoard {
  name?: string;
  figures?: BoardFigure[];
  /** Whether lists leave it out. */
  hidden?: boolean;
}

export interface CreateComment {
  target_type: 'trace' | 'span' | 'datapoint' | 'result';
  /** The id of the trace, span or datapoint; a result is named by the id of its datapoint. */
  target_id: string;
  /** The dataset of a datapoint, the run of a result; required of those. */
  parent_id?: string | null;
  /** Markdown. */
  text: string;
}

export interface Comment {
  id: string;
  target_type: 'trace' | 'span' | 'datapoint' | 'result';
  target_id: string;
  /** The trace of a trace or span, the dataset of a datapoint, the run of a result. */
  parent_id: string;
  /** Markdown. */
  text: string;
  author: Author;
  created_at: Timestamp;
  edited_at: Timestamp | null;
}

export interface CommentList {
  comments: Comment[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface UpdateComment {
  /** Markdown. */
  text: string;
}

export interface CreateShare {
  trace_id: string;
}

export interface ShareCreated extends Share {
  /** Path of the link, `/s/TOKEN`; shown this once. */
  path: string;
}

export interface ShareList {
  shares: Share[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

/** A link that opens one trace, without the link itself. */
export interface Share {
  id: string;
  trace_id: string;
  created_by: Author;
  created_at: Timestamp;
  /** Seven days after it was made. */
  expires_at: Timestamp;
  /** When it was last opened, to the minute; `null`: not yet. */
  opened_at: Timestamp | null;
}

export interface Export {
  /** Version of the export format. */
  version: 1;
  exported_at: Timestamp;
  traces: ExportedTrace[];
  spans: Span[];
  datasets: Dataset[];
  datapoints: Datapoint[];
  /** The datapoints that eval runs saw. Missing in the export of one trace. */
  datapoint_versions?: DatapointVersion[];
  /** Missing in the export of one trace. */
  capture_rules?: CaptureRule[];
  /** Without their keys. Missing in the export of one trace. */
  connections?: ExportedConnection[];
  /** Missing in the export of one trace. */
  eval_runs?: ExportedEvalRun[];
  /** Missing in the export of one trace. */
  eval_results?: ExportedEvalResult[];
  /** The samples of runs that try each datapoint several times. Missing in the export of one trace. */
  eval_samples?: ExportedEvalSample[];
  /** Former attempts of samples that were tried again. Missing in the export of one trace. */
  eval_attempts?: ExportedEvalAttempt[];
  /** Missing in the export of one trace. */
  queue_items?: QueueItem[];
  /** Missing in the export of one trace. */
  score_definitions?: ScoreDefinition[];
  /** Missing in the export of one trace. */
  scores?: Score[];
  /** Those of the project. Missing in the export of one trace. */
  views?: SavedView[];
  /** Missing in the export of one trace. */
  comments?: Comment[];
  /** Those of the product as they were changed. Missing in the export of one trace. */
  boards?: Board[];
  /** Missing in the export of one trace. */
  scoring_rules?: ExportedScoringRule[];
  /** Without where they send to, and their secrets. Missing in the export of one trace. */
  alert_channels?: {
    id: string;
    name: string;
    kind: 'webhook' | 'slack' | 'teams' | 'email';
    to: string[];
    created_at: Timestamp;
    updated_at: Timestamp;
  }[];
  /** Without their states. Missing in the export of one trace. */
  alerts?: ExportedAlert[];
}

export interface ExportedTrace extends Trace {
  /** Which spans of OpenTelemetry reported what, so that later ones count as if the trace had never moved. */
  origins?: TraceOrigins;
}

export interface TraceOrigins {
  readonly name?: (number | string)[];
  readonly session?: (number | string)[];
  readonly user?: (number | string)[];
  /** Nobody gave the start: it is the earliest of the spans. */
  open_start?: true;
  /** How many of the tags, from the first on, were given. */
  tags: number;
  metadata: {
    [key: string]: string;
  };
  resources: {
    [key: string]: string;
  };
}

export interface DatapointVersion {
  dataset_id: string;
  datapoint_id: string;
  from_version: number;
  /** The first version without it; `null`: it is the datapoint of now. */
  to_version: number | null;
  /** The datapoint as the versions from `from_version` on had it; `null`: it is unchanged since, see `datapoints`. */
  datapoint: Datapoint | null;
}

/** A provider connection, without its key. */
export interface ExportedConnection {
  id: string;
  name: string;
  provider: string;
  base_url: string | null;
  default_model: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface ExportedEvalRun extends EvalRunSummary {
  score_sum: number;
  score_count: number;
  cost_count: number;
  judge_cost_count: number;
}

export interface ExportedEvalResult {
  run_id: string;
  datapoint_id: string;
  status: 'pending' | 'running' | 'completed' | 'failed';
  output: string | null;
  score: number | null;
  /** The scorer's, or `not scored` where there is an output that could not be scored; `error` says why. */
  score_reason: string | null;
  latency_ms: number | null;
  tokens: number | null;
  /** Dollars; `null` when there is none. */
  cost: number | null;
  error: string | null;
  attempts: number;
  judge_model: string | null;
  judge_prompt_hash: string | null;
  /** Calls of judges: one that answered in no usable way is asked once more. `null` where none was asked. */
  judge_attempts: number | null;
  judge_tokens: number | null;
  /** Dollars; `null` when there is none. */
  judge_cost: number | null;
  /** The trace of its calls, where the run was to make one; it may have been deleted since. */
  trace_id: string | null;
  /** The span that the caller named with an external result. */
  span_id: string | null;
  /** What the caller sent as `metadata` of an external result. */
  metadata: {
    [key: string]: unknown;
  } | null;
  /** Whether the answer is that of an earlier run, taken over at no cost. */
  reused: boolean;
  /** The run that had the answer; it may have been deleted since. */
  reused_run_id: string | null;
  /** Results by the name of the scorer; `null`: the run has one scorer, whose result is in the other members. */
  scores: {
    [key: string]: ScorerResult;
  } | null;
}

export interface ExportedEvalSample extends ExportedEvalResult {
  /** From 0. */
  repeat: number;
}

export interface ExportedEvalAttempt extends ExportedEvalSample {
  /** From 0, by sample. */
  attempt: number;
  /** When the sample was tried again. */
  retried_at: Timestamp;
  /** Whether its output was kept, and scored again. */
  output_kept: boolean;
}

export interface ExportedScoringRule {
  id: string;
  name: string;
  enabled: boolean;
  target: 'span' | 'trace' | 'session';
  quiet_ms: number;
  filters: ScoringFilters;
  sample_rate: number;
  cohort: string | null;
  trigger: 'ended' | 'score';
  on_score: OnScore | null;
  scoring: string;
  scoring_config: {
    [key: string]: unknown;
  } | null;
  judge: JudgeChoice | null;
  score_name: string;
  max_cost_usd_per_day: number | null;
  scored_count: number;
  failed_count: number;
  skipped_count: number;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface ExportedAlert {
  id: string;
  name: string;
  enabled: boolean;
  measure: AlertMeasure;
  filters: AlertFilters;
  group_by: 'none' | 'user' | 'model' | 'tag' | 'session';
  window: string;
  condition: AlertCondition;
  min_count: number;
  for: string | null;
  cooldown: string | null;
  channel_ids: string[];
  severity: 'info' | 'warning' | 'critical';
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface ImportBundleResult {
  /** Items taken, including those that were there already. */
  imported: ImportedCounts;
  /** The first of the items that were left out, because what is stored already leaves no place for them. */
  rejected: {
    collection: ExportCollection;
    /** Position in its collection. */
    index: number;
    code: string;
    message: string;
  }[];
  /** How many items were left out. */
  rejected_count: number;
  /** The traces of the file, in its order. */
  trace_ids: string[];
}

export interface ImportedCounts {
  traces: number;
  spans: number;
  datasets: number;
  datapoints: number;
  datapoint_versions: number;
  capture_rules: number;
  connections: number;
  eval_runs: number;
  eval_results: number;
  eval_samples: number;
  eval_attempts: number;
  queue_items: number;
  score_definitions: number;
  scores: number;
  views: number;
  boards: number;
  scoring_rules: number;
  alert_channels: number;
  alerts: number;
  comments: number;
}

export type ExportCollection =
  | 'traces'
  | 'spans'
  | 'datasets'
  | 'datapoints'
  | 'datapoint_versions'
  | 'capture_rules'
  | 'connections'
  | 'eval_runs'
  | 'eval_results'
  | 'eval_samples'
  | 'eval_attempts'
  | 'queue_items'
  | 'score_definitions'
  | 'scores'
  | 'views'
  | 'boards'
  | 'scoring_rules'
  | 'alert_channels'
  | 'alerts'
  | 'comments';

export interface ImportJsonResult {
  /** Items taken, including those that were there already. */
  imported: ImportedCounts;
  /** The first of the items that were left out, because what is stored already leaves no place for them. */
  rejected: {
    collection: ExportCollection;
    /** Position in its collection. */
    index: number;
    code: string;
    message: string;
  }[];
  /** How many items were left out. */
  rejected_count: number;
}

export interface Search {
  query: string;
  /** @default text */
  mode?: 'text' | 'vector' | 'hybrid';
  filters?: {
    trace_id?: string;
    session_id?: string;
    kind?: string;
    model?: string;
    provider?: string;
    status?: 'running' | 'completed' | 'failed';
    tag?: string;
    /**
     * ISO 8601 with any offset; UTC when there is none.
     * @example 2026-11-20T09:00:00.000Z
     */
    since?: string;
    /**
     * ISO 8601 with any offset; UTC when there is none.
     * @example 2026-11-20T09:00:00.000Z
     */
    until?: string;
  };
  /** @default 20 */
  limit?: number;
  /**
   * `outline`: without texts.
   * @default full
   */
  view?: 'full' | 'outline';
  /**
   * Characters of each text that is previewed.
   * @default 0
   */
  preview?: number;
  /** `scores`: the member `scores`, with what the scores of each come to. */
  include?: 'scores';
}

export interface SearchAnswer {
  spans: FoundSpan[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface FoundSpan extends Span {
  /** Higher is better; comparable within one answer only. */
  score: number;
  /** With `include=scores` alone. */
  scores?: ScoreSums;
}

export interface SearchOutlineAnswer {
  spans: FoundSpanOutline[];
  /** Items in this answer. */
  count: number;
  /** What `cursor` takes for the next page; `null` on the last page. */
  next_cursor: string | null;
}

export interface FoundSpanOutline extends SpanOutline {
  /** Higher is better; comparable within one answer only. */
  score: number;
}

/** JSON-RPC 2.0, one message a request. */
export type McpMessage = {
  jsonrpc: '2.0';
  /** Left out of a notification, which is answered 202 without a body. */
  id?: string | number;
  /** `tools/list`, `tools/call`, and others of the protocol. */
  method: string;
  params?: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** JSON-RPC 2.0. */
export type McpAnswer = {
  jsonrpc: '2.0';
  id: string | number;
  result?: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** JSON-RPC 2.0; `error.data.code` is a code of the error catalogue, where the API refuses. */
export type McpError = {
  jsonrpc: '2.0';
  error: {
    code: number;
    message: string;
  } & {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};
