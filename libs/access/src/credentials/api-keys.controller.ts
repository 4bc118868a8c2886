import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import {
  createKeySchema,
  deletedSchema,
  keyCreatedSchema,
  keyListSchema,
  listAccessSchema,
  type CreateKey,
  type Deleted,
  type KeyCreated,
  type ListAccess,
} from '@spandrel/contract';
import { Operation, PathId } from '@spandrel/kernel';
import { CurrentActor, type Actor } from '../organizations/actor.js';
import { ApiKeys } from './api-keys.js';
import { listOf } from '../pages.js';
import { keyNotFound } from '../not-found.js';

/** `/api/keys` (docs/spec/access.md#organizations-and-projects). */
@Controller('api/keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeys) {}

  @Post()
  @Operation({
    id: 'createKey',
    access: 'admin',
    summary: 'Make an API key',
    description: 'The answer has the key, which is not kept and cannot be had again.',
    audited: ['key.created'],
    answer: keyCreatedSchema,
    problems: ['project_not_found', 'being_deleted'],
  })
  create(@CurrentActor() actor: Actor, @Body({ schema: createKeySchema }) body: CreateKey): Promise<KeyCreated> {
    return this.keys.create(actor, body);
  }

  @Get()
  @Operation({
    id: 'listKeys',
    access: 'admin',
    summary: 'API keys of the organization, newest first',
    description: 'The operator of the service sees those of all organizations.',
    answer: keyListSchema,
  })
  async list(@CurrentActor() actor: Actor, @Query({ schema: listAccessSchema }) query: ListAccess) {
    return listOf('keys', await this.keys.list(actor, query));
  }

  @Delete(':id')
  @Operation({
    id: 'deleteKey',
    access: 'admin',
    summary: 'Revoke an API key',
    description: 'Within a second no instance takes it any more, and event streams opened with it end.',
    audited: ['key.deleted'],
    answer: deletedSchema,
    problems: ['key_not_found'],
  })
  delete(@CurrentActor() actor: Actor, @Param('id', new PathId(keyNotFound)) id: string): Promise<Deleted> {
    return this.keys.delete(actor, id);
  }
}
