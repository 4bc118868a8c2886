import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { CLI_ACTOR, type Administration } from '@spandrel/access';
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
import { StartError, pathFault } from '@spandrel/kernel';
import type { MaskingCommands } from '@spandrel/masking';
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

/** What an administrative command was given. */
export interface AdminInput {
  /** What it is about, where it is about one thing. */
  id: string | undefined;
  /** Options by their names in camel case. */
  options: Readonly<Record<string, string | boolean>>;
  /** Settings, as for the server. */
  args: readonly string[];
}

/** What it says: a resource or a list of them, as the API has it, and the same for people. */
export interface Outcome {
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
export const toOption = (path: string): string => {
  const member = path.replace(/[[.].*/, '');
  return `--${(OPTIONS[member] ?? member).replaceAll('_', '-')}`;
};

/** What the commands about masking work with; plugins are loaded for them alone. */
interface MaskingAdministration extends Pick<Administration, 'directory'> {
  masking(): Promise<MaskingCommands>;
}

/** What each command about masking does. */
const MASKING_ACTIONS = {
  showMasking: async (administration: MaskingAdministration, { id }: AdminInput) => {
    await organizationOf(administration, id!);
    return listRules(await (await administration.masking()).read(id!));
  },
  setMasking: async (administration: MaskingAdministration, { id, options }: AdminInput) => {
    const orgId = await organizationOf(administration, id!);
    const rules = await rulesIn(String(options['rules']));
    const body = checked(putMaskingSchema, Array.isArray(rules) ? { rules } : rules);
    return listRules(await (await administration.masking()).put({ orgId, projectId: id! }, body));
  },
};

/** @throws StartError when there is no such project. */
async function organizationOf({ directory }: MaskingAdministration, projectId: string): Promise<string> {
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

/** What the commands below `admin audit` do. */
const AUDIT_ACTIONS = {
  listAudit: async ({ audit }: Administration, { options }: AdminInput): Promise<Outcome> => {
    const query = checked(listAuditSchema, { ...readFilter(options), limit: options['limit'] });
    const { items } = await audit.log.list(readOrganization(options), query);
    return { json: items, lines: items.map(auditLine) };
  },
  exportAudit: async ({ audit }: Administration, { options }: AdminInput): Promise<Outcome> => {
    const content = await audit.exports.execute(
      readOrganization(options),
      checked(auditFilterSchema, readFilter(options)),
    );
    for await (const lines of content) if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
    return { lines: [] };
  },
  listAuditHeads: async ({ audit }: Administration): Promise<Outcome> => {
    const heads = await audit.chains.heads();
    return { json: heads, lines: heads.map((head) => JSON.stringify(head)) };
  },
  verifyAudit: async ({ audit }: Administration, { options }: AdminInput): Promise<Outcome> => {
    const { chain, heads } = options;
    const noted = heads === undefined ? [] : readHeads(String(heads));
    const all: CheckedChain[] = [];
    for await (const one of audit.verify.execute(chain === undefined ? undefined : String(chain), noted)) all.push(one);
    if (chain !== undefined && all.length === 0) throw new StartError([`--chain: there is no chain ${String(chain)}`]);
    const lines = all.flatMap(chainLines);
    return {
      json: all,
      lines: lines.length === 0 ? ['The audit log is empty.'] : lines,
      isRefused: all.some(({ faults }) => faults.length > 0),
    };
  },
};

type Options = AdminInput['options'];

const readOrganization = ({ org }: Options): string | null => (org === undefined ? null : String(org));

const readFilter = ({ actor, action, target, since, until }: Options) => ({
  ...{ actor, target, since, until },
  action: action === undefined ? undefined : String(action).split(','),
});

const headSchema = z.object({ chain: z.string(), seq: z.number().int().min(1), hash: z.string() });

/** Heads as `admin audit heads` prints them, one a line. @throws StartError naming the line that is none. */
function readHeads(path: string): ChainHead[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartError([`--heads: ${pathFault(path, error).message}`]);
  }
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const head = headSchema.safeParse(parseJson(line));
    if (head.success) return head.data;
    throw new StartError([`--heads: line ${index + 1} of ${path} is no head: admin audit heads prints them`]);
  });
}

/** @returns `undefined` for what is no JSON. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

type Action = (administration: Administration & MaskingAdministration, input: AdminInput) => Promise<Outcome>;

/** What each command does. */
export const ADMIN_ACTIONS = {
  createOrganization: async ({ organizations }, { options }) => {
    const { name, plan, rateLimit } = options;
    const body = checked(createOrganizationSchema, { name, plan, rate_limit: readLimit(rateLimit) });
    return made('organization', await organizations.create(CLI_ACTOR, body), organizationLine);
  },
  listOrganizations: async ({ organizations }) =>
    listed(await all((query) => organizations.list(CLI_ACTOR, query)), organizationLine),
  showOrganization: async ({ organizations }, { id }) => {
    const org = await organizations.find(CLI_ACTOR, id!);
    return { json: org, lines: [organizationLine(org)] };
  },
  updateOrganization: async ({ organizations }, { id, options }) => {
    const { name, plan, rateLimit, retentionDays } = options;
    const retention_days = readDays(retentionDays, 'ever', ['plan']);
    const body = checked(updateOrganizationSchema, { name, plan, rate_limit: readLimit(rateLimit), retention_days });
    const org = await organizations.update(CLI_ACTOR, id!, body);
    return { json: org, lines: [organizationLine(org)] };
  },
  createProject: async ({ projects }, { options }) => {
    const { name, retentionDays, protect, rateLimit } = options;
    const [retention_days, rate_limit] = [readDays(retentionDays, 'organization'), readLimit(rateLimit)];
    const body = checked(createProjectSchema, { name, retention_days, protected: protect, rate_limit });
    return made('project', await projects.create(CLI_ACTOR, String(options['org']), body), projectLine);
  },
  deleteOrganization: async ({ removal }, { id, options }) => {
    assertMeant(options);
    const org = await removal.ofOrganization(CLI_ACTOR, id!);
    return { json: org, lines: [`${organizationLine(org)}: out of reach; the servers delete what it has.`] };
  },
  deleteProject: async ({ removal }, { id, options }) => {
    assertMeant(options);
    const project = await removal.ofProject(CLI_ACTOR, id!);
    return { json: project, lines: [`${projectLine(project)}: out of reach; the servers delete what it has.`] };
  },
  updateProject: async ({ projects }, { id, options }) => {
    const { name, retentionDays, protect, rateLimit } = options;
    const [retention_days, rate_limit] = [readDays(retentionDays, 'organization'), readLimit(rateLimit)];
    const body = checked(updateProjectSchema, { name, retention_days, protected: protect, rate_limit });
    const project = await projects.update(CLI_ACTOR, id!, body);
    return { json: project, lines: [projectLine(project)] };
  },
  showProject: async ({ projects }, { id }) => {
    const project = await projects.find(CLI_ACTOR, id!);
    return { json: project, lines: [projectLine(project)] };
  },
  listProjects: async ({ projects }, { options }) =>
    listed(await all((query) => projects.list(CLI_ACTOR, String(options['org']), query)), projectLine),
  createKey: async ({ keys }, { options }) => {
    const { name, project, scopes, expiresAt, org, rateLimit } = options;
    const body = checked(createKeySchema, {
      name,
      project_id: project,
      scopes: String(scopes).split(','),
      expires_at: expiresAt,
      rate_limit: readLimit(rateLimit),
    });
    // With `--org` the command acts for that organization's administrator: a project of another one is not found.
    const actor = org === undefined ? CLI_ACTOR : { ...CLI_ACTOR, orgId: String(org) };
    const key = await keys.create(actor, body);
    return {
      json: key,
      lines: [`Made the API key ${keyLine(key)}`, 'Keep it; it is not shown again:', key.key],
    };
  },
  listKeys: async ({ keys }, { options }) => {
    const { org } = options;
    const actor = org === undefined ? CLI_ACTOR : { ...CLI_ACTOR, orgId: String(org) };
    return listed(await all((query) => keys.list(actor, query)), keyLine);
  },
  updateKey: async ({ keys }, { id, options }) => {
    const { name, rateLimit, serviceAccount } = options;
    const changes = { name, rate_limit: readLimit(rateLimit), service_account: serviceAccount };
    const key = await keys.update(CLI_ACTOR, id!, checked(updateKeySchema, changes));
    return { json: key, lines: [keyLine(key)] };
  },
  deleteKey: async ({ keys }, { id }) => {
    const deleted = await keys.delete(CLI_ACTOR, id!);
    return { json: deleted, lines: [`Revoked the API key ${id!}; within a second no server takes it any more.`] };
  },
  createMember: async ({ members }, { options }) => {
    const { org, email, role, project } = options;
    const body = checked(createMemberSchema, { email, role, project_id: project });
    return made('member', await members.create(CLI_ACTOR, String(org), body), memberLine);
  },
  listMembers: async ({ members }, { options }) =>
    listed(await all((query) => members.list(CLI_ACTOR, String(options['org']), query)), memberLine),
  updateMember: async ({ members }, { id, options }) => {
    const body = checked(updateMemberSchema, { role: options['role'] });
    const member = await members.update(CLI_ACTOR, String(options['org']), id!, body);
    return { json: member, lines: [memberLine(member)] };
  },
  deleteMember: async ({ members }, { id, options }) => {
    const deleted = await members.delete(CLI_ACTOR, String(options['org']), id!);
    return { json: deleted, lines: [`Removed the member ${id!}; within a second no server takes the role any more.`] };
  },
  ...AUDIT_ACTIONS,
  ...MASKING_ACTIONS,
  checkJwt: async ({ checkJwt }, { id }) => {
    const check = await checkJwt.execute((id === '-' ? await text(process.stdin) : id!).trim());
    return { json: check, lines: jwtLines(check), isRefused: !check.valid };
  },
} satisfies Record<string, Action>;

/** @throws StartError without `--yes`. */
function assertMeant({ yes }: AdminInput['options']): void {
  if (yes !== true) throw new StartError(['--yes: must be given, since everything that is deleted is gone for good']);
}

const readLimit = (given: string | boolean | undefined): number | null | undefined => {
  if (given === undefined) return undefined;
  return given === 'default' ? null : Number(given);
};

/**
 * Days as they are given.
 * @param none stands for `null`, which may be written too.
 * @param passedOn words that the API takes as they are.
 * @throws StartError for what is neither a number nor one of these words.
 */
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

/** Every page of a list. */
async function all<Item>(list: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await list({ limit: PAGE_LIMIT_MAX, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

const made = <Resource>(noun: string, resource: Resource, line: (resource: Resource) => string): Outcome => ({
  json: resource,
  lines: [`Made the ${noun} ${line(resource)}`],
});

const listed = <Item>(items: readonly Item[], line: (item: Item) => string): Outcome => ({
  json: items,
  lines: items.map(line),
});
