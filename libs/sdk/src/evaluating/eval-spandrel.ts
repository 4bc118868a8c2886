import type { Api } from '../api/client.js';

/** What evals need of a `Spandrel`, also one of another copy of the package. */
export interface EvalSpandrel {
  readonly api: Api;
  trace<T>(
    name: string,
    members: { tags: string[]; metadata: Record<string, unknown> },
    run: (trace: { readonly id: string }) => T,
  ): T;
  span<T>(name: string, members: { input: unknown }, run: (span: EvalSpan) => T): T;
  flush(options: { timeoutMs: number }): Promise<unknown>;
}

/** A span that is open. */
export interface EvalSpan {
  readonly id: string;
  set(members: { output: unknown }): unknown;
}
