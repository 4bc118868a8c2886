/**
 * What the audit log says that was done: a noun and what became of it (docs/spec/audit.md#actions). Whoever records a new
 * kind of act adds its line; the dashboard shows them by these words.
 */
export const AUDIT_ACTIONS = [
  'org.created',
  'org.updated',
  'project.created',
  'project.masking_changed',
  'project.updated',
  'key.created',
  'key.deleted',
  'session.created',
  'session.deleted',
  'request.refused',
  'connection.created',
  'connection.updated',
  'connection.deleted',
  'trace.deleted',
  'traces.deleted',
  'span.deleted',
  'dataset.deleted',
  'datapoint.deleted',
  'datapoints.deleted',
  'capture_rule.deleted',
  'eval.deleted',
  'trace.exported',
  'dataset.exported',
  'dataset.imported',
  'project.exported',
  'project.import_begun',
  'project.imported',
  'audit_log.exported',
  'retention.applied',
  'secrets.rotated',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
