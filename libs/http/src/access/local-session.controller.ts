import { Controller, Get } from '@nestjs/common';
import { browserSessionSchema } from '@spandrel/contract';
import { Operation } from '../operation.js';

/** `GET /api/session` of local mode, where nobody signs in (docs/spec/sign-in.md#local-mode). */
@Controller('api/session')
export class LocalSessionController {
  @Get()
  @Operation({
    access: 'anyone',
    summary: 'Who is signed in in this browser',
    description: 'Nobody: local mode has no logins.',
    answer: browserSessionSchema,
    problems: ['unauthenticated', 'insufficient_scope', 'too_many_wrong_credentials'],
  })
  getBrowserSession() {
    const nobody = { signed_in: false, kind: null, id: null, org: null, project: null, scopes: [], expires_at: null };
    const noPerson = { person: null, role: null, identity_provider: null };
    return { mode: 'local' as const, ...nobody, ...noPerson };
  }
}
