import { applyDecorators, Body, Controller, Delete, Get, Header } from '@nestjs/common';
import { Param, Post, Query, StreamableFile } from '@nestjs/common';
import { createShareSchema, deletedSchema, listSavedSchema, readSharedTraceSchema } from '@spandrel/contract';
import { readSpanAnswerSchema, shareCreatedSchema, shareListSchema, traceInViewSchema } from '@spandrel/contract';
import type { CreateShare, Deleted, ListSaved, ReadSharedTrace, ShareCreated } from '@spandrel/contract';
import { ClientGone, CurrentScope, Operation, PathId, WrittenJson, listOf } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { CurrentTeammate, type Teammate } from './author.js';
import { shareNotFound, shareResource, ShareStore } from './share.store.js';

/** `/api/shares`: the links of a project (docs/spec/collaboration.md#shared-traces). */
@Controller('api/shares')
export class SharesController {
  constructor(private readonly shares: ShareStore) {}

  @Post()
  @Operation({
    ...{ access: 'write', summary: 'Make a link that opens a trace without signing in' },
    ...{ audited: ['share.created'], answer: shareCreatedSchema, problems: ['trace_not_found', 'not_found'] },
  })
  async createShare(
    @CurrentTeammate() by: Teammate,
    @Body({ schema: createShareSchema }) body: CreateShare,
  ): Promise<ShareCreated> {
    const { row, token } = await this.shares.create(by, body.trace_id);
    return { ...shareResource(row), path: `/s/${token}` };
  }

  @Get()
  @Operation({ access: 'read', summary: 'Links that open a trace', answer: shareListSchema })
  async listShares(@CurrentScope() scope: Scope, @Query({ schema: listSavedSchema }) query: ListSaved) {
    return listOf('shares', await this.shares.list(scope, query), shareResource);
  }

  @Delete(':id')
  @Operation({
    ...{ access: 'write', summary: 'Revoke a link', answer: deletedSchema },
    ...{ audited: ['share.revoked'], problems: ['share_not_found'] },
  })
  async deleteShare(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(shareNotFound)) id: string,
  ): Promise<Deleted> {
    await this.shares.revoke(scope, id);
    return { id, deleted: true };
  }
}

/** Headers of what a link opens: nobody keeps it, finds it, or learns where it was. */
const Unlisted = () =>
  applyDecorators(
    Header('cache-control', 'no-store'),
    Header('referrer-policy', 'no-referrer'),
    Header('x-robots-tag', 'noindex'),
  );

/** `/api/shared/:token`: what a link opens, for everybody who has it. */
@Controller('api/shared')
export class SharedController {
  constructor(private readonly shares: ShareStore) {}

  @Get(':token')
  @Unlisted()
  @Operation({
    ...{ access: 'open', summary: 'The trace that a link opens, its spans as outlines' },
    ...{ answer: traceInViewSchema, problems: ['share_not_found'] },
  })
  async getSharedTrace(
    @Param('token') token: string,
    @Query({ schema: readSharedTraceSchema }) query: ReadSharedTrace,
    @ClientGone() gone: AbortSignal,
  ): Promise<StreamableFile> {
    const type = 'application/json; charset=utf-8';
    return new StreamableFile(await this.shares.readTrace(token, query, gone), { type });
  }

  @Get(':token/spans/:id')
  @Unlisted()
  @Operation({
    ...{ access: 'open', summary: 'A span of the trace that a link opens, with its cost' },
    ...{ answer: readSpanAnswerSchema, problems: ['share_not_found'] },
  })
  async getSharedSpan(
    @Param('token') token: string,
    @Param('id', new PathId(shareNotFound)) id: string,
  ): Promise<WrittenJson> {
    return new WrittenJson(await this.shares.readSpan(token, id));
  }
}
