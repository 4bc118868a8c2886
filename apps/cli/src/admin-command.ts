import { Command } from 'commander';
import type { AdminAction } from './admin-actions.js';
import { settingsCommand } from './settings-command.js';

const ORG = ['--org <id>', 'the organization'] as const;
const YES = ['--yes', 'what is deleted is gone for good'] as const;
const PROTECT = ['--protect', 'refuse the deletion of all traces, of datasets and of the project'] as const;

/** `spandrel admin …`: what is administrative in cloud mode, done in the database (docs/spec/access.md#who-administers). */
export function addAdmin({ program }: { program: Command }, description: string): void {
  program.addCommand(adminCommand(description));
}

export function adminCommand(description: string): Command {
  const admin = new Command('admin').description(description);
  const group = (name: string, summary: string): Command => admin.command(name).description(summary);
  const leaf = (parent: Command, name: string, summary: string, action: AdminAction, argument?: string): Command =>
    settingsCommand(parent, name, {
      description: summary,
      usage: '[options]',
      ...(argument !== undefined && { argument: [`<${argument}>`] }),
    })
      .option('--json', 'answer in JSON, as the API does')
      .action(async (...given: unknown[]) => {
        const id = argument === undefined ? undefined : (given.shift() as string);
        const [rest, , itself] = given as [string[], unknown, Command];
        // With those of the commands above, which take what they know wherever it stands.
        const options: Record<string, string | boolean> = itself.optsWithGlobals();
        const { administer } = await import('./admin-actions.js');
        await administer(action, { id, options, args: rest });
      });

  const org = group('org', 'organizations');
  leaf(org, 'create', 'make an organization', 'createOrganization')
    .requiredOption('--name <name>', 'what it is called')
    .option('--plan <plan>', 'starter, team or enterprise: how long traces are kept', 'starter')
    .option('--rate-limit <number>', "requests per second; the service's default when left out");
  leaf(org, 'list', 'list organizations', 'listOrganizations');
  leaf(org, 'show', 'show an organization, and how far its deletion is', 'showOrganization', 'org');
  leaf(org, 'update', 'change an organization', 'updateOrganization', 'org')
    .option('--name <name>', 'what it is called')
    .option('--plan <plan>', 'starter, team or enterprise')
    .option('--rate-limit <number>', "requests per second, or `default` for the service's")
    .option('--retention-days <days>', 'how long traces are kept; `plan`: as the plan says, `ever`: for ever');

  leaf(org, 'delete', 'delete an organization with all of its projects', 'deleteOrganization', 'org').option(...YES);

  const project = group('project', 'projects of an organization');
  leaf(project, 'create', 'make a project', 'createProject')
    .requiredOption('--org <id>', 'its organization')
    .requiredOption('--name <name>', 'what it is called')
    .option('--retention-days <days>', 'how long traces are kept; as long as the organization keeps them when left out')
    .option('--rate-limit <number>', 'requests per second; as many as its organization when left out')
    .option(...PROTECT);
  leaf(project, 'show', 'show a project, and how far its deletion is', 'showProject', 'project');
  leaf(project, 'update', 'change a project', 'updateProject', 'project')
    .option('--name <name>', 'what it is called')
    .option('--retention-days <days>', 'how long traces are kept, or `organization` for as long as that keeps them')
    .option('--rate-limit <number>', 'requests per second, or `default` for as many as the settings say')
    .option(...PROTECT)
    .option('--no-protect', 'lift the protection');
  leaf(project, 'delete', 'delete a project with everything that it has', 'deleteProject', 'project').option(...YES);
  leaf(project, 'list', 'list the projects of an organization', 'listProjects').requiredOption(...ORG);

  const masking = group('masking', 'what of texts is replaced before it is stored');
  leaf(masking, 'show', 'show the rules of a project', 'showMasking', 'project');
  leaf(masking, 'set', 'replace the rules of a project', 'setMasking', 'project').requiredOption(
    '--rules <file>',
    'a file with a list of rules in JSON; `-` reads it from standard input',
  );

  const member = group('member', 'roles of people in an organization');
  leaf(member, 'add', 'give a role to the person who signs in with an e-mail address', 'createMember')
    .requiredOption(...ORG)
    .requiredOption('--email <address>', 'as the identity provider has it')
    .requiredOption('--role <role>', 'owner, admin, editor, reviewer or viewer')
    .option('--project <id>', 'for this project alone: editor, reviewer or viewer');
  leaf(member, 'list', 'list the members of an organization', 'listMembers').requiredOption(...ORG);
  leaf(member, 'update', 'give a member another role', 'updateMember', 'member')
    .requiredOption(...ORG)
    .requiredOption('--role <role>', 'owner, admin, editor, reviewer or viewer');
  leaf(member, 'remove', "take a member's role away", 'deleteMember', 'member').requiredOption(...ORG);

  const key = group('key', 'API keys');
  leaf(key, 'create', 'make an API key and show it, this once', 'createKey')
    .requiredOption('--project <id>', 'the project it is for')
    .requiredOption('--scopes <scopes>', 'read, write, ingest, review, admin; separated by commas')
    .option('--org <id>', 'the organization that the project must be of')
    .option('--name <name>', 'what it is for', 'made at the command line')
    .option('--expires-at <time>', 'when it ends (ISO 8601); never when left out, or by access.key_max_age')
    .option('--rate-limit <number>', 'requests per second; as many as its project when left out');
  leaf(key, 'update', 'change an API key', 'updateKey', 'key')
    .option('--name <name>', 'what it is for')
    .option('--rate-limit <number>', 'requests per second, or `default` for as many as the settings say')
    .option('--service-account', 'have it go on without the person who made it; there is no way back');
  leaf(key, 'list', 'list API keys', 'listKeys').option('--org <id>', 'those of this organization alone');
  leaf(key, 'delete', 'revoke an API key', 'deleteKey', 'key');

  const jwt = group('jwt', 'JWTs of an identity provider');
  const check = 'say which rule a JWT fails and what it is allowed; `-` reads it from standard input';
  leaf(jwt, 'check', check, 'checkJwt', 'token');

  const audit = filtered(leaf(admin, 'audit', 'show the audit log, newest first', 'listAudit'));
  audit.option('--limit <number>', 'how many entries', '100');
  filtered(leaf(audit, 'export', 'print the audit log, an entry a line as JSON, oldest first', 'exportAudit'));
  leaf(audit, 'heads', 'print the newest entry of each chain, to be kept elsewhere', 'listAuditHeads');
  leaf(audit, 'verify', 'say where a chain of the audit log is broken', 'verifyAudit')
    .option('--chain <name>', 'this chain alone: the id of an organization, or `service`')
    .option('--heads <file>', 'what `admin audit heads` printed before: all of it must still be there');
  return admin;
}

const filtered = (command: Command): Command =>
  command
    .option('--org <id>', 'entries of this organization alone')
    .option('--actor <name>', 'who did it, such as key:<id>, admin or cli')
    .option('--action <actions>', 'what was done; several separated by commas')
    .option('--target <id>', 'what it was done to')
    .option('--since <time>', 'then or later (ISO 8601)')
    .option('--until <time>', 'before (ISO 8601)');
