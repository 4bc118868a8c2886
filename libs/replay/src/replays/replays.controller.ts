import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import {
  listReplaysSchema,
  replayListSchema,
  replaySchema,
  startReplaySchema,
  type ListReplays,
  type StartReplay,
} from '@spandrel/contract';
import { CurrentScope, listOf, Operation, PathId } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { BeginReplay } from './begin-replay.js';
import { replayNotFound, replayResource, ReplayStore } from './replay.store.js';

/** `/api/replays` (docs/spec/replay.md#replay-routes). */
@Controller('api/replays')
export class ReplaysController {
  constructor(
    private readonly replays: ReplayStore,
    private readonly begins: BeginReplay,
  ) {}

  @Post()
  @Operation({
    access: 'write',
    summary: 'Make recorded calls again with something else',
    description:
      'The calls become a dataset, what was recorded the results of an external run, and the run beside it is an ordinary one.',
    answer: replaySchema,
    problems: ['connection_not_found', 'eval_run_not_found', 'id_conflict', 'nothing_to_replay', 'range_too_large'],
  })
  startReplay(@CurrentScope() scope: Scope, @Body({ schema: startReplaySchema }) body: StartReplay) {
    return this.begins.execute(scope, body);
  }

  @Get()
  @Operation({ access: 'read', summary: 'Replays, newest first', answer: replayListSchema })
  async listReplays(@CurrentScope() scope: Scope, @Query({ schema: listReplaysSchema }) query: ListReplays) {
    return listOf('replays', await this.replays.listOf(scope, query), replayResource);
  }

  @Get(':id')
  @Operation({ access: 'read', summary: 'A replay', answer: replaySchema })
  async getReplay(@CurrentScope() scope: Scope, @Param('id', new PathId(replayNotFound)) id: string) {
    return replayResource(await this.replays.get(scope, id));
  }
}
