import type { AuditedAct } from '@spandrel/audit';
import type { RetentionTerm } from '@spandrel/kernel';
import type { Expired } from './expire-spans.js';

/** What the audit log has of a run: an entry for each organization of which something was deleted. */
export function auditedExpiry(terms: readonly RetentionTerm[], { projects }: Pick<Expired, 'projects'>): AuditedAct[] {
  const byOrganization = Map.groupBy(
    terms.filter(({ projectId }) => projects.has(projectId)),
    ({ orgId }) => orgId,
  );
  return [...byOrganization].map(([orgId, some]) => {
    const ofProjects = some.map((term) => ({ ...term, ...projects.get(term.projectId)! }));
    return {
      ...{ action: 'retention.applied', orgId, targetId: orgId },
      details: {
        traces_deleted: ofProjects.reduce((sum, { traces }) => sum + traces, 0),
        spans_deleted: ofProjects.reduce((sum, { spans }) => sum + spans, 0),
        projects: Object.fromEntries(
          ofProjects.map(({ projectId, days, traces, spans }) => [
            projectId,
            { days, traces_deleted: traces, spans_deleted: spans },
          ]),
        ),
      },
    };
  });
}
