import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  createConnectionSchema,
  plainListSchema,
  updateConnectionSchema,
  type CreateConnection,
  type PlainList,
  type UpdateConnection,
  connectionSchema,
  connectionListSchema,
  connectionTestSchema,
  deletedSchema,
} from '@spandrel/contract';
import { CurrentScope, Operation, PathId, deleted, listOf } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { ChangeConnections } from './change-connections.js';
import { connectionResource } from './connections.js';
import { connectionNotFound, ConnectionStore } from './connection.store.js';
import { KeyRing } from './keys/sealing.js';
import { TestConnection } from './calls/test-connection.js';

const ConnectionId = () => Param('id', new PathId(connectionNotFound));

/** `/api/provider-connections` (docs/spec/connections.md#connection-routes). No answer holds a key or a part of one. */
@Controller('api/provider-connections')
export class ConnectionsController {
  constructor(
    private readonly store: ConnectionStore,
    private readonly changes: ChangeConnections,
    private readonly tests: TestConnection,
    private readonly ring: KeyRing,
  ) {}

  @Post()
  @Operation({
    access: 'write',
    summary: 'Store a provider connection',
    audited: ['connection.created'],
    answer: connectionSchema,
  })
  async createConnection(
    @CurrentScope() scope: Scope,
    @Body({ schema: createConnectionSchema }) body: CreateConnection,
  ) {
    return connectionResource(await this.changes.create(scope, body), this.ring);
  }

  @Get()
  @Operation({ access: 'read', summary: 'Provider connections, newest first', answer: connectionListSchema })
  async listConnections(@CurrentScope() scope: Scope, @Query({ schema: plainListSchema }) query: PlainList) {
    return listOf('connections', await this.store.list(scope, query), (row) => connectionResource(row, this.ring));
  }

  @Get(':id')
  @Operation({ access: 'read', summary: 'A provider connection', answer: connectionSchema })
  async getConnection(@CurrentScope() scope: Scope, @ConnectionId() id: string) {
    return connectionResource(await this.store.get(scope, id), this.ring);
  }

  @Put(':id')
  @Operation({
    access: 'write',
    summary: 'Change a provider connection',
    audited: ['connection.updated'],
    answer: connectionSchema,
  })
  async updateConnection(
    @CurrentScope() scope: Scope,
    @ConnectionId() id: string,
    @Body({ schema: updateConnectionSchema }) body: UpdateConnection,
  ) {
    return connectionResource(await this.changes.update(scope, id, body), this.ring);
  }

  @Delete(':id')
  @Operation({
    access: 'write',
    summary: 'Delete a provider connection',
    audited: ['connection.deleted'],
    answer: deletedSchema,
    problems: ['connection_in_use'],
  })
  async deleteConnection(@CurrentScope() scope: Scope, @ConnectionId() id: string) {
    await this.changes.delete(scope, id);
    return deleted(id);
  }

  @Post(':id/test')
  @HttpCode(200)
  @Operation({
    access: 'write',
    summary: 'Try a provider connection',
    description: 'Asks for the list of models; 200 whether or not it succeeds.',
    answer: connectionTestSchema,
  })
  testConnection(@CurrentScope() scope: Scope, @ConnectionId() id: string) {
    return this.tests.execute(scope, id);
  }
}
