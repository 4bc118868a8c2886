import { Module } from '@nestjs/common';
import { GATEKEEPER, RETENTION_POLICY } from '@spandrel/kernel';
import { ApiKeyStore } from './api-key.store.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeys } from './api-keys.js';
import { AuditLogController } from './audit-log.controller.js';
import { AuditLog } from './audit-log.js';
import { AuditLogStore } from './audit-log.store.js';
import { CredentialGatekeeper } from './credential-gatekeeper.js';
import { CredentialController } from './credential.controller.js';
import { CredentialStore } from './credential.store.js';
import { Credentials } from './credentials.js';
import { RateLimits } from './limits/rate-limits.js';
import { OrganizationStore } from './organization.store.js';
import { OrganizationsController } from './organizations.controller.js';
import { Organizations } from './organizations.js';
import { ProjectStore } from './project.store.js';
import { Projects } from './projects.js';
import { RetentionPolicyStore } from './retention-policy.store.js';

/** Who gets in, in cloud mode, and who administers that. */
@Module({
  controllers: [OrganizationsController, ApiKeysController, AuditLogController, CredentialController],
  providers: [
    OrganizationStore,
    ProjectStore,
    ApiKeyStore,
    AuditLogStore,
    CredentialStore,
    AuditLog,
    Organizations,
    Projects,
    ApiKeys,
    Credentials,
    RateLimits,
    { provide: GATEKEEPER, useClass: CredentialGatekeeper },
    { provide: RETENTION_POLICY, useClass: RetentionPolicyStore },
  ],
})
export class AccessModule {}
