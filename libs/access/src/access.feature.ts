import { defineFeature, ofProjects } from '@spandrel/kernel';
import { AccessModule } from './access.module.js';
import { ApiKeySchema } from './credentials/api-key.entity.js';
import { BrowserSessionSchema } from './browser-sessions/browser-session.entity.js';
import { OrganizationSchema, ProjectSchema } from './organizations/organization.entity.js';
import { MemberSchema, PersonSchema } from './people/person.entity.js';
import { OidcSettings } from './oidc/oidc.settings.js';
import { RemovalSchema } from './removal/removal.entity.js';
import { AccessSettings } from './access.settings.js';
import { JwtSettings } from './credentials/jwt.settings.js';

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
