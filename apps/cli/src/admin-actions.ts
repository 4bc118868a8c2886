import { text } from 'node:stream/consumers';
import { CLI_ACTOR, type Administration } from '@spandrel/access';
import {
  createKeySchema,
  createMemberSchema,
  createOrganizationSchema,
  createProjectSchema,
  PAGE_LIMIT_MAX,
  updateKeySchema,
  updateMemberSchema,
  updateOrganizationSchema,
  updateProjectSchema,
} from '@spandrel/contract';
import { StartError } from '@spandrel/kernel';
import type { Page } from '@spandrel/storage';
import { checked, type AdminInput, type Outcome } from './admin-outcome.js';
import { AUDIT_ACTIONS } from './audit-actions.js';
import { MASKING_ACTIONS, type MaskingAdministration } from './masking-actions.js';
import { jwtLines, keyLine, memberLine, organizationLine, projectLine } from './admin-lines.js';

type Action = (administration: Administration & MaskingAdministration, input: AdminInput) => Promise<Outcome>;

/** What each command does. */
export const ADMIN_ACTIONS = {
  createOrganization: async ({ organizations }, { options }) => {
    const { name, plan, rateLimit } = options;
    const body = checked(createOrganizationSchema, { name, plan, rate_limit: limitOf(rateLimit) });
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
    const retention_days = daysOf(retentionDays, 'ever', ['plan']);
    const body = checked(updateOrganizationSchema, { name, plan, rate_limit: limitOf(rateLimit), retention_days });
    const org = await organizations.update(CLI_ACTOR, id!, body);
    return { json: org, lines: [organizationLine(org)] };
  },
  createProject: async ({ projects }, { options }) => {
    const { name, retentionDays, protect, rateLimit } = options;
    const [retention_days, rate_limit] = [daysOf(retentionDays, 'organization'), limitOf(rateLimit)];
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
    const [retention_days, rate_limit] = [daysOf(retentionDays, 'organization'), limitOf(rateLimit)];
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
      rate_limit: limitOf(rateLimit),
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
    const changes = { name, rate_limit: limitOf(rateLimit), service_account: serviceAccount };
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

const limitOf = (given: string | boolean | undefined): number | null | undefined => {
  if (given === undefined) return undefined;
  return given === 'default' ? null : Number(given);
};

/**
 * Days as they are given.
 * @param none stands for `null`, which may be written too.
 * @param passedOn words that the API takes as they are.
 * @throws StartError for what is neither a number nor one of these words.
 */
function daysOf(
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
