import type { StoredSpan } from '../span.entity.js';
import type { TracingChange } from '../write/tracing-change.js';

/** What the changes of a transaction leave of a project. */
interface Left {
  /** The last form of each span that was changed; `null` is gone. */
  spans: Map<string, StoredSpan | null>;
  goneTraces: Set<string>;
  cleared: boolean;
}

/** The spans that a transaction changes as they are at its end. */
export class LastForms {
  private readonly projects = new Map<string, Left>();

  /** @param changes in the order they happened. */
  constructor(changes: readonly TracingChange[]) {
    for (let index = changes.length - 1; index >= 0; index--) this.take(changes[index]!);
  }

  /** The last form of a span that some change has made; `null` when it is gone by the end. */
  of({ projectId, id }: StoredSpan): StoredSpan | null {
    return this.projects.get(projectId)?.spans.get(id) ?? null;
  }

  /** Takes a change that lies before all that were taken. */
  private take(change: TracingChange): void {
    const left = this.left(change.scope.projectId);
    if (change.type === 'cleared') left.cleared = true;
    else if (change.type === 'trace_deleted') left.goneTraces.add(change.trace.id);
    else if ('after' in change) {
      const { before, after } = change;
      const { id, traceId } = (after ?? before)!;
      if (left.spans.has(id)) return;
      left.spans.set(id, left.cleared || left.goneTraces.has(traceId) ? null : after);
    }
  }

  private left(projectId: string): Left {
    let left = this.projects.get(projectId);
    if (!left) {
      left = { spans: new Map(), goneTraces: new Set(), cleared: false };
      this.projects.set(projectId, left);
    }
    return left;
  }
}
