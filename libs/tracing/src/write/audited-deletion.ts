import type { AuditedAct } from '@spandrel/audit';
import type { Outcome } from '@spandrel/storage';
import type { JobAnswer } from './apply-job.js';
import type { TracingJob } from './tracing-job.js';

/** What the audit log has of a job that deleted something; `undefined` for other jobs, and where nothing was done. */
export function auditedDeletion(job: TracingJob, outcome: Outcome<JobAnswer>): AuditedAct | undefined {
  if (!('answer' in outcome)) return undefined;
  const { answer } = outcome;
  if (job.type === 'delete_span') {
    const details = answer.type === 'span' ? { trace_id: answer.span.traceId } : {};
    return { action: 'span.deleted', ...job.scope, context: job.context, targetId: job.id, details };
  }
  if (answer.type !== 'deleted') return undefined;
  const { tracesDeleted, spansDeleted } = answer;
  if (job.type === 'delete_trace') {
    const details = { spans_deleted: spansDeleted };
    return { action: 'trace.deleted', ...job.scope, context: job.context, targetId: job.id, details };
  }
  if (job.type !== 'delete_all') return undefined;
  const details = { traces_deleted: tracesDeleted, spans_deleted: spansDeleted };
  return { action: 'traces.deleted', ...job.scope, context: job.context, targetId: job.scope.projectId, details };
}
