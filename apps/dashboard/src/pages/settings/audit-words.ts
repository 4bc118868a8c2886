import type { AuditEntry, ProjectResource } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { capitalized, formatTime, type Zone } from '../../components/format.js';

/** Names of projects by their ids, as far as they were read. */
export type ProjectNames = ReadonlyMap<ProjectResource['id'], string>;

/** Nouns whose plural or spelling the action does not have. */
const NOUNS: Readonly<Record<string, string>> = {
  key: 'API key',
  org: 'Organization',
  session: 'Session of a browser',
  connection: 'Provider connection',
  capture_rule: 'Capture rule',
  eval: 'Evaluation',
  audit_log: 'Audit log',
};

/** Actions that are not their noun and verb. */
const PHRASES: Readonly<Record<string, string>> = {
  'session.created': 'Signed in',
  'session.updated': 'Session led to another project',
  'session.deleted': 'Signed out',
  'session.refused': 'Sign-in refused',
  'request.refused': 'Request refused',
  'traces.deleted': 'All traces deleted',
  'project.masking_changed': 'Masking of a project changed',
  'project.import_begun': 'Import of a project begun',
  'prices.apply_begun': 'Pricing of recorded spans begun',
  'prices.applied': 'Recorded spans priced again',
  'retention.applied': 'Old traces deleted by retention',
  'secrets.rotated': 'Secret key rotated',
};

/** An action in words: `API key created`. A word that is not known is shown as it is. */
export function describeAction(action: string): string {
  const phrase = PHRASES[action];
  if (phrase !== undefined) return phrase;
  const [noun = action, verb = ''] = action.split('.');
  return `${NOUNS[noun] ?? capitalized(noun.replaceAll('_', ' '))} ${verb.replaceAll('_', ' ')}`.trim();
}

const KINDS: Readonly<Record<string, string>> = {
  admin: 'Operator',
  cli: 'Command line',
  service: 'The service itself',
  nobody: 'No valid credential',
  several: 'Several',
};

/** Who did it in words: the name that it had then, and what it is. */
export function describeActor({ actor, actor_name: name }: Pick<AuditEntry, 'actor' | 'actor_name'>): string {
  const kind = KINDS[actor];
  if (kind !== undefined) return name === null ? kind : `${kind} (${name})`;
  const [, prefix, id] = /^(key|jwt|person):(.*)$/s.exec(actor) ?? [];
  if (prefix === 'key') return name === null ? `Key ${shortened(id!)}` : `${name} (key)`;
  return name ?? (id === undefined ? actor : shortened(id));
}

/** What it was done to in words: its name then, or the end of its id. */
export function describeTarget(
  { action, target_id: id, target_name: name, project_id: projectId, details }: AuditEntry,
  projects: ProjectNames,
): string {
  if (name !== null) return name;
  if (typeof details['name'] === 'string') return details['name'];
  if (action === 'request.refused') return id === 'several' ? 'Several requests' : id;
  const project = projects.get(id);
  if (project !== undefined) return project;
  const place = projectId === null ? undefined : projects.get(projectId);
  return action.startsWith('session.') && place !== undefined ? place : shortened(id);
}

/** An id that says nothing to a reader, by its end, as ids made at one time begin alike. */
const shortened = (id: string): string => (/^[0-9A-HJKMNP-TV-Z]{26}$/.test(id) ? `…${id.slice(-6)}` : id);

/** Details in words: `name: from "a" to "b"; spans deleted: 3`. @param zone in which times are shown. */
export function describeDetails(details: AuditEntry['details'], projects: ProjectNames, zone: Zone): string {
  return Object.entries(details)
    .filter(([name]) => name !== 'name')
    .map(([name, value]) => `${WORDS[name] ?? name.replaceAll('_', ' ')}: ${describeValue(value, { projects, zone })}`)
    .join('; ');
}

const WORDS: Readonly<Record<string, string>> = {
  project_id: 'project',
  dataset_id: 'dataset',
  trace_id: 'trace',
  expires_at: 'ends',
  base_url: 'base URL',
  api_key: 'API key',
};

interface Reading {
  projects: ProjectNames;
  zone: Zone;
}

function describeValue(value: unknown, reading: Reading): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'number') return formatCount(value);
  if (typeof value === 'string') return describeText(value, reading);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((one) => describeValue(one, reading)).join(', ') || 'none';
  if (typeof value !== 'object') return String(value);
  const members = value as Record<string, unknown>;
  if (Object.keys(members).length === 2 && 'from' in members && 'to' in members) {
    return `from ${describeValue(members['from'], reading)} to ${describeValue(members['to'], reading)}`;
  }
  const words = Object.entries(members).map(
    ([name, one]) => `${reading.projects.get(name) ?? name.replaceAll('_', ' ')} ${describeValue(one, reading)}`,
  );
  return words.join(', ') || 'none';
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const ACTOR = /^(key|jwt|person):/;

/** A text that is a project's id, a time or an actor is written as people say it. */
function describeText(text: string, { projects, zone }: Reading): string {
  const project = projects.get(text);
  if (project !== undefined) return project;
  if (TIMESTAMP.test(text)) return formatTime(Date.parse(text), zone);
  return ACTOR.test(text) ? describeActor({ actor: text, actor_name: null }) : shortened(text);
}
