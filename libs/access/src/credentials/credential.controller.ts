import { Controller, Get } from '@nestjs/common';
import { credentialSchema, formatTimestamp, type CredentialResource } from '@spandrel/contract';
import { CurrentCaller, Operation, type Caller } from '@spandrel/http';

/** `/api/credential`: what the gateway asks about the keys of its callers. Costs their organizations no request. */
@Controller('api/credential')
export class CredentialController {
  @Get()
  @Operation({
    id: 'getCredential',
    access: 'caller',
    // The gateway asks in the name of its callers, and a busy organization must not lose calls by that.
    uncounted: true,
    summary: 'What the credential of the request is',
    answer: credentialSchema,
  })
  read(@CurrentCaller() { kind, id, scope, permissions, expiresAt }: Caller): CredentialResource {
    return {
      // The route is closed to the token for metrics.
      kind: kind as CredentialResource['kind'],
      id,
      org_id: scope?.orgId ?? null,
      project_id: scope?.projectId ?? null,
      scopes: [...permissions],
      expires_at: expiresAt === null ? null : formatTimestamp(expiresAt),
    };
  }
}
