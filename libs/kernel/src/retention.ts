/** How long the traces and spans of a project are kept. */
export interface RetentionTerm {
  readonly projectId: string;
  readonly orgId: string;
  /** The plan that says so; `null`: days that the project or its organization has of its own. */
  readonly plan: string | null;
  readonly days: number;
}

/** Says how long data is kept (docs/spec/limits.md#retention); in cloud mode only. */
export interface RetentionPolicy {
  /** The terms of all projects that have one; what belongs to others is kept. @throws Unavailable */
  terms(): Promise<readonly RetentionTerm[]>;
}

/** Injection token of the {@link RetentionPolicy}; where nobody provides one, everything is kept. */
export const RETENTION_POLICY = Symbol('retention policy');
