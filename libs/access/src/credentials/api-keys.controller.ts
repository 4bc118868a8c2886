import { Body, Controller, Delete, Get, Patch, Post, Query, Req } from '@nestjs/common';
import {
  createKeySchema,
  deletedSchema,
  keyCreatedSchema,
  keyListSchema,
  keyResourceSchema,
  listAccessSchema,
  updateKeySchema,
  type CreateKey,
  type ListAccess,
  type UpdateKey,
  credentialSchema,
  formatTimestamp,
  type CredentialResource,
} from '@spandrel/contract';
import { Operation, CurrentCaller, type Caller, listOf } from '@spandrel/http';
import type { FastifyRequest } from 'fastify';
import { AccessSettings } from '../access.settings.js';
import { SessionCookie } from '../browser-sessions/session-cookie.js';
import { MakerTokenKey } from './maker-keys.js';
import { CurrentActor, type Actor } from '../organizations/actor.js';
import { ApiKeys } from './api-keys.js';
import { KeyId } from '../answers.js';

/** `/api/keys` (docs/spec/access.md#organizations-and-projects). */
@Controller('api/keys')
export class ApiKeysController {
  private readonly cookie: SessionCookie;

  constructor(
    private readonly keys: ApiKeys,
    private readonly tokenKey: MakerTokenKey,
    { insecureCookie }: AccessSettings,
  ) {
    this.cookie = new SessionCookie(insecureCookie);
  }

  @Post()
  @Operation({
    access: 'admin',
    summary: 'Make an API key',
    description:
      'The answer has the key, which is not kept and cannot be had again. It ends with the membership of the person who makes it, unless `service_account` says otherwise.',
    audited: ['key.created'],
    answer: keyCreatedSchema,
    problems: ['project_not_found', 'being_deleted'],
  })
  createKey(
    @CurrentActor() actor: Actor,
    @Body({ schema: createKeySchema }) body: CreateKey,
    @Req() { headers }: FastifyRequest,
  ) {
    const tokenKeyFor = this.tokenKey.from(actor.caller, this.cookie.read(headers.cookie));
    return this.keys.create(actor, body, tokenKeyFor);
  }

  @Get()
  @Operation({
    access: 'admin',
    summary: 'API keys of the organization, newest first',
    description: 'The operator of the service sees those of all organizations.',
    answer: keyListSchema,
  })
  async listKeys(@CurrentActor() actor: Actor, @Query({ schema: listAccessSchema }) query: ListAccess) {
    return listOf('keys', await this.keys.list(actor, query));
  }

  @Patch(':id')
  @Operation({
    access: 'admin',
    summary: 'Change an API key: its name, its limit, whether it outlives its maker',
    audited: ['key.updated'],
    answer: keyResourceSchema,
  })
  updateKey(@CurrentActor() actor: Actor, @KeyId() id: string, @Body({ schema: updateKeySchema }) body: UpdateKey) {
    return this.keys.update(actor, id, body);
  }

  @Delete(':id')
  @Operation({
    access: 'admin',
    summary: 'Revoke an API key',
    description: 'Within a second no instance takes it any more, and event streams opened with it end.',
    audited: ['key.deleted'],
    answer: deletedSchema,
  })
  deleteKey(@CurrentActor() actor: Actor, @KeyId() id: string) {
    return this.keys.delete(actor, id);
  }
}

/** `/api/credential`: what the gateway asks about the keys of its callers. Costs their organizations no request. */
@Controller('api/credential')
export class CredentialController {
  @Get()
  @Operation({
    access: 'caller',
    // The gateway asks in the name of its callers, and a busy organization must not lose calls by that.
    uncounted: true,
    summary: 'What the credential of the request is',
    answer: credentialSchema,
  })
  getCredential(@CurrentCaller() { kind, id, scope, permissions, expiresAt }: Caller) {
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
