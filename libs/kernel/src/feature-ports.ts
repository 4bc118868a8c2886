/** Answers about projects beyond the caller's own; the feature `access` provides it, in local mode nobody does. */
export interface ProjectDirectory {
  /** @returns `undefined` when there is no such project, or it is being deleted. @throws Unavailable */
  organizationOf(projectId: string): Promise<string | undefined>;
}

export const PROJECT_DIRECTORY = Symbol('project directory');

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

export interface SealedText {
  /** Id of the secret key that sealed it; empty where nothing is sealed. */
  readonly keyId: string;
  /** Nonce, ciphertext and tag, base64. */
  readonly sealedKey: string;
}

/** Seals what features keep secret with the server's secret key; the feature `connections` provides it, which has the keys. */
export interface Sealer {
  /** @param projectId the project that the text is sealed for: in a row of another one it cannot be opened. */
  seal(text: string, projectId: string): SealedText;
  /** @returns `undefined` when this server lacks the key, or the text, its project or its key was changed. */
  unseal(sealed: SealedText, projectId: string): string | undefined;
}

/** Injection token of the {@link Sealer} for keys that texts are masked with. */
export const MASKING_SEALER = Symbol('masking sealer');
