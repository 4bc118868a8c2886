import { auditCommands } from '@spandrel/audit';
import type { Storage } from '@spandrel/storage';
import type { AccessSettings } from '../access.settings.js';
import { ApiKeyStore, CredentialStore } from '../credentials/credential.store.js';
import { ApiKeys } from '../credentials/api-keys.js';
import { CheckJwt } from '../credentials/check-jwt.js';
import { MakerKeys } from '../credentials/maker-keys.js';
import type { JwtSettings } from '../credentials/jwt.settings.js';
import { MemberStore } from '../people/person.store.js';
import { Members } from '../people/members.js';
import { BrowserSessionStore } from '../browser-sessions/browser-session.store.js';
import { BeginRemoval } from '../removal/begin-removal.js';
import { RemovalStore } from '../removal/removal.store.js';
import { OrganizationStore, ProjectStore } from './organization.store.js';
import { Organizations } from './organizations.js';
import { Projects } from './projects.js';

export type Administration = ReturnType<typeof administrationOf>;

/** What the routes do, for the command line: the same use-cases on a database. */
export function administrationOf(storage: Storage, settings: AccessSettings, jwt: JwtSettings) {
  const audit = auditCommands(storage);
  const { trail } = audit;
  const organizations = new OrganizationStore(storage);
  const projects = new ProjectStore(storage);
  const removals = new RemovalStore(storage);
  const keys = new ApiKeyStore(storage);
  const changes = {
    organizations: new Organizations(storage, organizations, trail, settings, removals),
    projects: new Projects(storage, organizations, projects, trail, settings, removals),
  };
  return {
    ...changes,
    directory: projects,
    removal: new BeginRemoval(
      storage,
      projects,
      organizations,
      changes.projects,
      changes.organizations,
      removals,
      new BrowserSessionStore(storage),
      trail,
    ),
    keys: new ApiKeys(storage, projects, keys, trail, settings),
    members: new Members(
      storage,
      organizations,
      projects,
      new MemberStore(storage),
      new MakerKeys(keys, trail, settings),
      trail,
    ),
    audit,
    checkJwt: new CheckJwt(new CredentialStore(storage), settings, jwt),
  };
}
