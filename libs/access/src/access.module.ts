import { Module, type OnModuleInit } from '@nestjs/common';
import { Capabilities, GATEKEEPER } from '@spandrel/http';
import { CALLER_DIRECTORY, PROJECT_DIRECTORY, RETENTION_POLICY, defineFeature, ofProjects } from '@spandrel/kernel';
import { ProjectProtection } from '@spandrel/storage';
import { projectProtected } from './answers.js';
import { BrowserSessionController } from './browser-sessions/browser-session.controller.js';
import { BrowserSessionStore } from './browser-sessions/browser-session.store.js';
import { DeleteEndedSessions, SignOut, SignIn } from './browser-sessions/sign-in.js';
import { SessionProjects } from './people/session-projects.js';
import { KnownSessions, Credentials } from './credentials/credentials.js';
import { AccessMemory } from './credentials/access-memory.js';
import { ApiKeyStore, CredentialStore } from './credentials/credential.store.js';
import { ApiKeysController, CredentialController } from './credentials/api-keys.controller.js';
import { ApiKeys } from './credentials/api-keys.js';
import { CredentialGatekeeper } from './credentials/credential-gatekeeper.js';
import { MakerKeys, MakerTokenKey } from './credentials/maker-keys.js';
import { NoteUse } from './credentials/note-use.js';
import { RateLimits } from './limits/rate-limits.js';
import { IdentityProvider } from './oidc/identity-provider.js';
import { OidcController } from './oidc/oidc.controller.js';
import { OrganizationStore, ProjectStore } from './organizations/organization.store.js';
import { OrganizationsController, ProjectsController } from './organizations/organizations.controller.js';
import { Organizations } from './organizations/organizations.js';
import { Projects } from './organizations/projects.js';
import { RetentionPolicyStore } from './organizations/retention-policy.store.js';
import { ConfirmPerson } from './people/confirm-person.js';
import { KeepPerson, SignInPerson } from './people/sign-in-person.js';
import { MemberStore, PersonStore, ReviewerDirectory } from './people/person.store.js';
import { MembersController } from './people/members.controller.js';
import { Members } from './people/members.js';
import { BeginRemoval } from './removal/begin-removal.js';
import { RemovalMetrics, RemovalTask } from './removal/removal-task.js';
import { RemovalStore } from './removal/removal.store.js';
import { ApiKeySchema } from './credentials/api-key.entity.js';
import { BrowserSessionSchema } from './browser-sessions/browser-session.entity.js';
import { OrganizationSchema, ProjectSchema } from './organizations/organization.entity.js';
import { MemberSchema, PersonSchema } from './people/person.entity.js';
import { OidcSettings } from './oidc/oidc.settings.js';
import { RemovalSchema } from './removal/removal.entity.js';
import { AccessSettings } from './access.settings.js';
import { JwtSettings } from './credentials/jwt.settings.js';

const STORES = [
  ...[OrganizationStore, ProjectStore, ApiKeyStore, CredentialStore, BrowserSessionStore],
  ...[PersonStore, MemberStore, RemovalStore, RetentionPolicyStore],
];

/** The tables of access, and what other features ask of them. */
@Module({
  providers: [
    ...STORES,
    { provide: PROJECT_DIRECTORY, useExisting: ProjectStore },
    { provide: RETENTION_POLICY, useExisting: RetentionPolicyStore },
    { provide: CALLER_DIRECTORY, useClass: ReviewerDirectory },
  ],
  exports: STORES,
})
class AccessStoresModule {}

/** People, their roles, and what the identity provider says of them. */
@Module({
  imports: [AccessStoresModule],
  providers: [MakerKeys, IdentityProvider, SignOut, KeepPerson, ConfirmPerson, Members],
  exports: [MakerKeys, IdentityProvider, SignOut, KeepPerson, ConfirmPerson, Members],
})
class PeopleModule {}

/** API keys, JWTs and cookies: who a request comes from, and how many it may make. */
@Module({
  imports: [AccessStoresModule, PeopleModule],
  providers: [
    ...[AccessMemory, ApiKeys, MakerTokenKey, NoteUse, Credentials, KnownSessions, RateLimits],
    { provide: GATEKEEPER, useClass: CredentialGatekeeper },
  ],
  exports: [GATEKEEPER, ApiKeys, MakerTokenKey],
})
class CredentialsModule {}

/** Signing browsers in and out. */
@Module({
  imports: [AccessStoresModule, PeopleModule, CredentialsModule],
  providers: [SignIn, SignInPerson, SessionProjects, DeleteEndedSessions],
  exports: [SignIn, SignInPerson, SessionProjects],
})
class BrowserSessionsModule {}

/** Organizations and projects, and how they go. */
@Module({
  imports: [AccessStoresModule],
  providers: [Organizations, Projects, BeginRemoval, RemovalMetrics, RemovalTask],
  exports: [Organizations, Projects, BeginRemoval],
})
class OrganizationsModule implements OnModuleInit {
  constructor(
    private readonly capabilities: Capabilities,
    private readonly policy: RetentionPolicyStore,
    private readonly protection: ProjectProtection,
    private readonly projects: ProjectStore,
  ) {}

  /** Says how long the caller's traces are kept (docs/spec/limits.md#retention), and which projects are protected. */
  onModuleInit(): void {
    this.capabilities.provide('retention_days', (scope) => (scope ? this.policy.daysOf(scope) : null));
    this.protection.decideBy(async (tx, { projectId }) => {
      if (await this.projects.isProtected(tx, projectId)) throw projectProtected();
    });
  }
}

/** Who gets in, in cloud mode, and who administers that. */
@Module({
  imports: [PeopleModule, CredentialsModule, BrowserSessionsModule, OrganizationsModule],
  controllers: [
    ...[OrganizationsController, ProjectsController, MembersController, ApiKeysController, CredentialController],
    ...[BrowserSessionController, OidcController],
  ],
  exports: [CredentialsModule],
})
class AccessModule {}

export const accessFeature = defineFeature({
  name: 'access',
  mode: 'cloud',
  tag: { name: 'Access', description: 'Organizations, projects, API keys, signing in, and what was done with them.' },
  module: AccessModule,
  entities: [
    ...[OrganizationSchema, ProjectSchema, ApiKeySchema, BrowserSessionSchema, PersonSchema, MemberSchema],
    RemovalSchema,
  ],
  owned: [...ofProjects('api_key', 'browser_session', 'member'), { table: 'member', by: 'org_id' }],
  settings: [AccessSettings, JwtSettings, OidcSettings],
  requires: [],
});
