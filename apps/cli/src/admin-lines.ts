import type { JwtCheck, JwtRule } from '@spandrel/access';
import type { CheckedChain } from '@spandrel/audit';
import type {
  AuditEntry,
  KeyResource,
  MaskingRule,
  MemberResource,
  OrganizationResource,
  ProjectResource,
  RemovalResource,
} from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';

export function organizationLine(organization: OrganizationResource): string {
  const { id, name, plan, rate_limit, retention_days: days, retention_by: by, removal } = organization;
  const kept = by === 'plan' ? '' : `, keeps traces ${days === null ? 'for ever' : `${days} days`}`;
  const said = `plan ${plan}, ${rate_limit} requests/s${kept}`;
  return `${id}  ${quoted(name)}  ${said}${removal ? `, ${describeDeletion(removal)}` : ''}`;
}

const describeDeletion = ({ rows_deleted, step, last_error: error }: RemovalResource): string =>
  `being deleted (${rows_deleted} rows so far${step === null ? '' : `, now: ${step}`}${error === null ? '' : `; does not go on: ${error}`})`;

export const projectLine = (project: ProjectResource): string => {
  const { id, name, org_id, retention_days: days } = project;
  const said = [
    days !== null && `keeps traces ${days} days`,
    project.rate_limit !== null && `${project.rate_limit} requests/s`,
    project.protected && 'protected',
    project.removal && describeDeletion(project.removal),
  ].filter(Boolean);
  return `${id}  ${quoted(name)}  of organization ${org_id}${said.map((each) => `, ${each}`).join('')}`;
};

export const keyLine = (key: KeyResource): string => {
  const { id, name, prefix, scopes, project_id, org_id, expires_at, state, maker, last_used_at, rate_limit } = key;
  const by = maker === null ? 'somebody unknown' : maker.id + (maker.name === null ? '' : ` ${quoted(maker.name)}`);
  const said = [
    expires_at === null ? 'does not end' : `${state === 'expired' ? 'ended' : 'ends'} ${expires_at}`,
    state === 'suspended' && 'refused: its maker has no role there, or is not confirmed',
    `made by ${by}${key.service_account ? ' for a service account' : ''}`,
    last_used_at === null ? 'not used yet' : `last used ${last_used_at}`,
    rate_limit !== null && `${rate_limit} requests/s`,
  ].filter(Boolean);
  return (
    `${id}  ${quoted(name)}  ${prefix}…  ${scopes.join(',')}  ` +
    `project ${project_id} of organization ${org_id}, ${said.join(', ')}`
  );
};

export const auditLine = (entry: AuditEntry): string => {
  const { at, actor, actor_name, action, target_id, target_name, address, details } = entry;
  const named = (id: string, name: string | null): string =>
    name === null ? quoted(id) : `${quoted(id)} ${quoted(name)}`;
  const from = address === null ? '' : `  from ${address}`;
  return `${at}  ${named(actor, actor_name)}  ${action}  ${named(target_id, target_name)}${from}  ${JSON.stringify(details)}`;
};

/** What became of the check of a chain, for people: a line, and one for each fault. */
export const chainLines = ({ chain, entries, head, faults }: CheckedChain): string[] => [
  `${chain}: ${entries} ${entries === 1 ? 'entry' : 'entries'}, ${
    faults.length === 0 ? 'nothing is amiss' : formatCounted(faults.length, 'fault')
  }${head ? `; the newest is ${head.seq}, ${head.hash}` : ''}`,
  ...faults.map(({ kind, id, message }) => `  ${kind}: ${message}${id === undefined ? '' : ` (${id})`}`),
];

export function memberLine(member: MemberResource): string {
  const { id, role, email, person, project_id, org_id, source, provider_status, provider_asked_at: askedAt } = member;
  return (
    `${id}  ${role}  ${quoted(email ?? person?.email ?? person?.name ?? '')}  ` +
    `${project_id === null ? 'all projects' : `project ${project_id}`} of organization ${org_id}, ` +
    (source === 'groups' ? 'from groups' : person === null ? 'never signed in' : 'added') +
    (askedAt === null ? '' : `, ${provider_status} at the identity provider (asked ${askedAt})`)
  );
}

/** What became of a JWT: a line a rule, and what it is allowed. */
export const jwtLines = ({ rules, allows }: JwtCheck): string[] => [
  ...rules.map(ruleLine),
  '',
  allows
    ? `This token is let in as ${quoted(allows.sub)} to the project ${allows.project_id} of organization ${allows.org_id} until ${allows.expires_at}, with ${allows.scopes.join(',') || 'no scope'}.`
    : 'This token is refused with 401.',
];

const ruleLine = ({ rule, ok, detail }: JwtRule): string =>
  `${ok === null ? '-   ' : ok ? 'ok  ' : 'FAIL'}  ${rule.padEnd(13)}  ${detail}`;

export const maskingRuleLine = ({ masker, replace, label, fields, config }: MaskingRule): string =>
  `${masker}  ${replace} ${label}  in ${fields.join(',')}${Object.keys(config).length > 0 ? `  ${JSON.stringify(config)}` : ''}`;

/** A name as one word of one line, whatever is in it. */
const quoted = (name: string): string => JSON.stringify(name);
