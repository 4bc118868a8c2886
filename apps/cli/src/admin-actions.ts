import 'reflect-metadata';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import {
  accessFeature,
  AccessSettings,
  administrationOf,
  CLI_ACTOR,
  JwtSettings,
  type Administration,
} from '@spandrel/access';
import type { CheckedChain, ChainHead } from '@spandrel/audit';
import {
  fieldErrors,
  putMaskingSchema,
  auditFilterSchema,
  listAuditSchema,
  createKeySchema,
  createMemberSchema,
  createOrganizationSchema,
  createProjectSchema,
  PAGE_LIMIT_MAX,
  updateKeySchema,
  updateMemberSchema,
  updateOrganizationSchema,
  updateProjectSchema,
  type MaskingResource,
} from '@spandrel/contract';
import { commandContext, DomainError, inContext, loadPlugins, pathFault, StartError } from '@spandrel/kernel';
import { maskingCommands, type MaskingCommands } from '@spandrel/masking';
import type { Page } from '@spandrel/storage';
import { z } from 'zod';
import {
  auditLine,
  chainLines,
  jwtLines,
  keyLine,
  maskingRuleLine,
  memberLine,
  organizationLine,
  projectLine,
} from './admin-lines.js';
import { withDatabase } from './command-database.js';
import { commandSettings, printFailure } from './command-settings.js';

interface AdminInput {
  /** What it is about, where it is about one thing. */
  id: string | undefined;
  /** Options by their names in camel case. */
  options: Readonly<Record<string, string | boolean>>;
  args: readonly string[];
}

/** What it says: a resource or a list of them, as the API has it, and the same for people. */
interface Outcome {
  /** Absent for a command that has printed everything. */
  json?: unknown;
  lines: readonly string[];
  /** Whether what was asked about is refused: the command then ends with 1. */
  isRefused?: boolean;
}

/** @throws StartError naming each option that is not valid. */
function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new StartError(fieldErrors(parsed.error).map(({ path, message }) => `${toOption(path)}: ${message}`));
}

const OPTIONS: Readonly<Record<string, string>> = { project_id: 'project' };

/** `--rate-limit` of `rate_limit`; `--scopes` of `scopes[1]`. */
const toOption = (path: string): string => {
  const member = path.replace(/[[.].*/, '');
  return `--${(OPTIONS[member] ?? member).replaceAll('_', '-')}`;
};

/** What commands work with; the plugins of masking are loaded for its commands alone. */
interface Administrations extends Administration {
  masking(): Promise<MaskingCommands>;
}

async function organizationOf({ directory }: Administration, projectId: string): Promise<string> {
  const orgId = await directory.organizationOf(projectId);
  if (orgId === undefined) throw new StartError(['there is no such project']);
  return orgId;
}

/** @param file its path; `-` is standard input. @throws StartError when it cannot be read or is no JSON. */
async function rulesIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8'));
  } catch (error) {
    throw new StartError([`--rules: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

const listRules = (masking: MaskingResource): Outcome => ({
  json: masking,
  lines: masking.rules.length === 0 ? ['No rules: texts are stored as they come.'] : masking.rules.map(maskingRuleLine),
});

type Options = AdminInput['options'];

const readOrganization = ({ org }: Options): string | null => (org === undefined ? null : String(org));

const readFilter = ({ actor, action, target, since, until }: Options) => ({
  ...{ actor, target, since, until },
  action: action === undefined ? undefined : String(action).split(','),
});

const headSchema = z.object({ chain: z.string(), seq: z.number().int().min(1), hash: z.string() });

/** Heads as `admin audit heads` prints them, one a line. @throws StartError naming the line that is none. */
function readHeads(path: string): ChainHead[] {
  let lines: string;
  try {
    lines = readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartError([`--heads: ${pathFault(path, error).message}`]);
  }
  return lines.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const head = headSchema.safeParse(parseJson(line));
    if (head.success) return head.data;
    throw new StartError([`--heads: line ${index + 1} of ${path} is no head: admin audit heads prints them`]);
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

type Action = (administration: Administrations, input: AdminInput) => Promise<Outcome>;

export const ADMIN_ACTIONS = {
  createOrganization: async ({ organizations }, { options }) => {
    const { name, plan, rateLimit } = options;
    const body = checked(createOrganizationSchema, { name, plan, rate_limit: readLimit(rateLimit) });
    return made('organization', await organizations.create(CLI_ACTOR, body), organizationLine);
  },
  listOrganizations: async ({ organizations }) =>
    listed(await all((query) => organizations.list(CLI_ACTOR, query)), organizationLine),
  showOrganization: async ({ organizations }, { id }) =>
    shown(await organizations.find(CLI_ACTOR, id!), organizationLine),
  updateOrganization: async ({ organizations }, { id, options }) => {
    const { name, plan, rateLimit, retentionDays } = options;
    const retention_days = readDays(retentionDays, 'ever', ['plan']);
    const body = checked(updateOrganizationSchema, { name, plan, rate_limit: readLimit(rateLimit), retention_days });
    return shown(await organizations.update(CLI_ACTOR, id!, body), organizationLine);
  },
  createProject: async ({ projects }, { options }) => {
    const body = checked(createProjectSchema, readProject(options));
    return made('project', await projects.create(CLI_ACTOR, String(options['org']), body), projectLine);
  },
  deleteOrganization: async ({ removal }, { id, options }) => {
    assertMeant(options);
    return shown(await removal.ofOrganization(CLI_ACTOR, id!), (org) => outOfReach(organizationLine(org)));
  },
  deleteProject: async ({ removal }, { id, options }) => {
    assertMeant(options);
    return shown(await removal.ofProject(CLI_ACTOR, id!), (project) => outOfReach(projectLine(project)));
  },
  updateProject: async ({ projects }, { id, options }) => {
    const body = checked(updateProjectSchema, readProject(options));
    return shown(await projects.update(CLI_ACTOR, id!, body), projectLine);
  },
  showProject: async ({ projects }, { id }) => shown(await projects.find(CLI_ACTOR, id!), projectLine),
  listProjects: async ({ projects }, { options }) =>
    listed(await all((query) => projects.list(CLI_ACTOR, String(options['org']), query)), projectLine),
  createKey: async ({ keys }, { options }) => {
    const { name, project, scopes, expiresAt, rateLimit } = options;
    const body = checked(createKeySchema, {
      name,
      project_id: project,
      scopes: String(scopes).split(','),
      expires_at: expiresAt,
      rate_limit: readLimit(rateLimit),
    });
    const key = await keys.create(actorOf(options), body);
    return { json: key, lines: [`Made the API key ${keyLine(key)}`, 'Keep it; it is not shown again:', key.key] };
  },
  listKeys: async ({ keys }, { options }) => listed(await all((query) => keys.list(actorOf(options), query)), keyLine),
  updateKey: async ({ keys }, { id, options }) => {
    const { name, rateLimit, serviceAccount } = options;
    const changes = { name, rate_limit: readLimit(rateLimit), service_account: serviceAccount };
    return shown(await keys.update(CLI_ACTOR, id!, checked(updateKeySchema, changes)), keyLine);
  },
  deleteKey: async ({ keys }, { id }) =>
    shown(
      await keys.delete(CLI_ACTOR, id!),
      () => `Revoked the API key ${id!}; within a second no server takes it any more.`,
    ),
  createMember: async ({ members }, { options }) => {
    const { org, email, role, project } = options;
    const body = checked(createMemberSchema, { email, role, project_id: project });
    return made('member', await members.create(CLI_ACTOR, String(org), body), memberLine);
  },
  listMembers: async ({ members }, { options }) =>
    listed(await all((query) => members.list(CLI_ACTOR, String(options['org']), query)), memberLine),
  updateMember: async ({ members }, { id, options }) => {
    const body = checked(updateMemberSchema, { role: options['role'] });
    return shown(await members.update(CLI_ACTOR, String(options['org']), id!, body), memberLine);
  },
  deleteMember: async ({ members }, { id, options }) =>
    shown(
      await members.delete(CLI_ACTOR, String(options['org']), id!),
      () => `Removed the member ${id!}; within a second no server takes the role any more.`,
    ),
  listAudit: async ({ audit }, { options }) => {
    const query = checked(listAuditSchema, { ...readFilter(options), limit: options['limit'] });
    const { items } = await audit.log.list(readOrganization(options), query);
    return listed(items, auditLine);
  },
  exportAudit: async ({ audit }, { options }) => {
    const filter = checked(auditFilterSchema, readFilter(options));
    const content = await audit.log.export(readOrganization(options), filter);
    for await (const lines of content) if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
    return { lines: [] };
  },
  listAuditHeads: async ({ audit }) => listed(await audit.chains.heads(), (head) => JSON.stringify(head)),
  verifyAudit: async ({ audit }, { options }) => {
    const { chain: wanted, heads } = options;
    const noted = heads === undefined ? [] : readHeads(String(heads));
    const name = wanted === undefined ? undefined : String(wanted);
    const all: CheckedChain[] = [];
    for await (const chain of audit.verify.execute(name, noted)) all.push(chain);
    if (name !== undefined && all.length === 0) throw new StartError([`--chain: there is no chain ${name}`]);
    const lines = all.length === 0 ? ['The audit log is empty.'] : all.flatMap(chainLines);
    return { json: all, lines, isRefused: all.some(({ faults }) => faults.length > 0) };
  },
  showMasking: async (administration, { id }) => {
    await organizationOf(administration, id!);
    return listRules(await (await administration.masking()).read(id!));
  },
  setMasking: async (administration, { id, options }) => {
    const orgId = await organizationOf(administration, id!);
    const rules = await rulesIn(String(options['rules']));
    const body = checked(putMaskingSchema, Array.isArray(rules) ? { rules } : rules);
    return listRules(await (await administration.masking()).put({ orgId, projectId: id! }, body));
  },
  checkJwt: async ({ checkJwt }, { id }) => {
    const check = await checkJwt.execute((id === '-' ? await text(process.stdin) : id!).trim());
    return { json: check, lines: jwtLines(check), isRefused: !check.valid };
  },
} satisfies Record<string, Action>;

/** With `--org` a command acts for that organization's administrator: a project of another one is not found. */
const actorOf = ({ org }: Options) => (org === undefined ? CLI_ACTOR : { ...CLI_ACTOR, orgId: String(org) });

const readProject = ({ name, retentionDays, protect, rateLimit }: Options) => ({
  name,
  retention_days: readDays(retentionDays, 'organization'),
  protected: protect,
  rate_limit: readLimit(rateLimit),
});

function assertMeant({ yes }: Options): void {
  if (yes !== true) throw new StartError(['--yes: must be given, since everything that is deleted is gone for good']);
}

const readLimit = (given: string | boolean | undefined): number | null | undefined => {
  if (given === undefined) return undefined;
  return given === 'default' ? null : Number(given);
};

/** @param none stands for `null`. @param passedOn words that the API takes as they are. @throws StartError for others. */
function readDays(
  given: string | boolean | undefined,
  none: string,
  passedOn: readonly string[] = [],
): number | string | null | undefined {
  if (given === undefined) return undefined;
  const word = String(given);
  if (word === none || word === 'null') return null;
  if (passedOn.includes(word)) return word;
  const days = Number(word);
  if (!Number.isNaN(days)) return days;
  throw new StartError([`--retention-days: must be a number of days, or ${[...passedOn, none].join(', or ')}`]);
}

async function all<Item>(list: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await list({ limit: PAGE_LIMIT_MAX, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

const shown = <Resource>(resource: Resource, line: (resource: Resource) => string): Outcome => ({
  json: resource,
  lines: [line(resource)],
});

const made = <Resource>(noun: string, resource: Resource, line: (resource: Resource) => string): Outcome =>
  shown(resource, () => `Made the ${noun} ${line(resource)}`);

const listed = <Item>(items: readonly Item[], line: (item: Item) => string): Outcome => ({
  json: items,
  lines: items.map(line),
});

const outOfReach = (line: string): string => `${line}: out of reach; the servers delete what it has.`;

export type AdminAction = keyof typeof ADMIN_ACTIONS;

/** Runs an administrative command on the database of the settings and prints what came of it; ends with 1 if it fails. */
export async function administer(action: AdminAction, input: AdminInput): Promise<void> {
  try {
    const settings = commandSettings(input.args);
    if (settings.core.mode === 'local') {
      throw new StartError(['mode: local mode has no organizations and no keys; add --mode cloud']);
    }
    await withDatabase(settings, [accessFeature], async (storage, logger) => {
      const access = administrationOf(storage, settings.of(AccessSettings), settings.of(JwtSettings));
      const masking = async (): Promise<MaskingCommands> =>
        maskingCommands(storage, access.audit.trail, (await loadPlugins(settings.core.plugins, logger)).maskers);
      const administration = { ...access, masking };
      const outcome: Outcome = await inContext(commandContext(), () => ADMIN_ACTIONS[action](administration, input));
      const { json, lines } = outcome;
      process.stdout.write(
        input.options['json'] && json !== undefined
          ? `${JSON.stringify(json)}\n`
          : lines.map((line) => `${line}\n`).join(''),
      );
      if (outcome.isRefused) process.exitCode = 1;
    });
  } catch (error) {
    printFailure(error instanceof DomainError ? new StartError(listFaults(error)) : error, 'admin: ');
  }
}

const listFaults = ({ message, errors }: DomainError): string[] =>
  errors ? errors.map(({ path, message: fault }) => `${toOption(path)}: ${fault}`) : [message];
