import { Module } from '@nestjs/common';
import { GATEKEEPER } from '@spandrel/http';
import { PROJECT_DIRECTORY, RETENTION_POLICY } from '@spandrel/kernel';
import { AccessMemory } from './credentials/access-memory.js';
import { ApiKeyStore } from './credentials/api-key.store.js';
import { ApiKeysController } from './credentials/api-keys.controller.js';
import { ApiKeys } from './credentials/api-keys.js';
import { CredentialGatekeeper } from './credentials/credential-gatekeeper.js';
import { CredentialController } from './credentials/credential.controller.js';
import { CredentialStore } from './credentials/credential.store.js';
import { Credentials } from './credentials/credentials.js';
import { MakerKeys, MakerTokenKey } from './credentials/maker-keys.js';
import { NoteKeyUse } from './credentials/note-key-use.js';
import { BrowserSessionController } from './browser-sessions/browser-session.controller.js';
import { BrowserSessionStore } from './browser-sessions/browser-session.store.js';
import { DeleteEndedSessions } from './browser-sessions/delete-ended-sessions.js';
import { DescribeSession } from './browser-sessions/describe-session.js';
import { KnownSessions } from './browser-sessions/known-sessions.js';
import { NoteUse } from './browser-sessions/note-use.js';
import { SignIn } from './browser-sessions/sign-in.js';
import { SignOut } from './browser-sessions/sign-out.js';
import { IdentityProvider } from './oidc/identity-provider.js';
import { OidcController } from './oidc/oidc.controller.js';
import { SignOutThere } from './oidc/sign-out-there.js';
import { ConfirmPerson } from './people/confirm-person.js';
import { KeepPerson } from './people/keep-person.js';
import { ListSessionProjects } from './people/list-session-projects.js';
import { PersonStore } from './people/person.store.js';
import { SessionProjectsController } from './people/session-projects.controller.js';
import { SignInPerson } from './people/sign-in-person.js';
import { SwitchProject } from './people/switch-project.js';
import { MemberStore } from './people/member.store.js';
import { MembersController } from './people/members.controller.js';
import { Members } from './people/members.js';
import { RateLimits } from './limits/rate-limits.js';
import { OrganizationStore } from './organizations/organization.store.js';
import { OrganizationsController } from './organizations/organizations.controller.js';
import { Organizations } from './organizations/organizations.js';
import { ProjectStore } from './organizations/project.store.js';
import { Projects } from './organizations/projects.js';
import { ProjectsController } from './organizations/projects.controller.js';
import { BeginRemoval } from './removal/begin-removal.js';
import { EndRemoval } from './removal/end-removal.js';
import { RemovalMetrics, RemovalTask } from './removal/removal-task.js';
import { RemovalStore } from './removal/removal.store.js';
import { RemoveOwned } from './removal/remove-owned.js';
import { ProtectProjects } from './organizations/protect-projects.js';
import { RetentionPolicyStore } from './organizations/retention-policy.store.js';
import { RetentionCapabilities } from './organizations/retention-capabilities.js';

/** Who gets in, in cloud mode, and who administers that. */
@Module({
  controllers: [
    OrganizationsController,
    ProjectsController,
    MembersController,
    ApiKeysController,
    CredentialController,
    BrowserSessionController,
    SessionProjectsController,
    OidcController,
  ],
  providers: [
    OrganizationStore,
    ProjectStore,
    ApiKeyStore,
    CredentialStore,
    AccessMemory,
    Organizations,
    Projects,
    MemberStore,
    Members,
    ApiKeys,
    MakerKeys,
    MakerTokenKey,
    NoteKeyUse,
    Credentials,
    RateLimits,
    BrowserSessionStore,
    KnownSessions,
    NoteUse,
    SignIn,
    SignOut,
    DescribeSession,
    DeleteEndedSessions,
    IdentityProvider,
    PersonStore,
    KeepPerson,
    SignInPerson,
    ConfirmPerson,
    SwitchProject,
    ListSessionProjects,
    SignOutThere,
    RetentionCapabilities,
    ProtectProjects,
    RemovalStore,
    RemovalMetrics,
    BeginRemoval,
    RemoveOwned,
    EndRemoval,
    RemovalTask,
    { provide: GATEKEEPER, useClass: CredentialGatekeeper },
    RetentionPolicyStore,
    { provide: PROJECT_DIRECTORY, useExisting: ProjectStore },
    { provide: RETENTION_POLICY, useExisting: RetentionPolicyStore },
  ],
  exports: [GATEKEEPER],
})
export class AccessModule {}
