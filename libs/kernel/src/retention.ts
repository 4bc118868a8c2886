/** How long the traces and spans of a project are kept. */
export interface RetentionTerm {
  readonly projectId: string;
  readonly orgId: string;
  /** The plan that says so. */
  readonly plan: string;
  readonly days: number;
}

/** Says how long data is kept (docs/spec/limits.md#retention-by-plan); in cloud mode only. */
export interface RetentionPolicy {
  /** The terms of all projects that have one; what belongs to others is kept. @throws Unavailable */
  terms(): Promise<readonly RetentionTerm[]>;
}

/** Injection token of the {@link RetentionPolicy}; where nobody provides one, everything is kept. */
export const RETENTION_POLICY = Symbol('retention policy');
