import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import {
  createScoreDefinitionSchema,
  createScoreSchema,
  deletedSchema,
  isFeedbackAlone,
  listScoresSchema,
  plainListSchema,
  scoreDefinitionListSchema,
  scoreDefinitionSchema,
  scoreListSchema,
  scoreQualityAnswerSchema,
  scoreQualityQuerySchema,
  scoreSchema,
  scoreSeriesQuerySchema,
  scoreSeriesSchema,
  updateScoreDefinitionSchema,
  updateScoreSchema,
  type CreateScore,
  type CreateScoreDefinition,
  type ListScores,
  type PlainList,
  type ScoreQualityQuery,
  type ScoreSeriesQuery,
  type UpdateScore,
  type UpdateScoreDefinition,
} from '@spandrel/contract';
import { CurrentCaller, CurrentScope, Operation, PathId, type Caller, listOf, deleted } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { scoreDefinitionNotFound, ScoreDefinitionStore } from './score-definition.store.js';
import { scoreDefinition, scoreResource } from './score-resource.js';
import { NO_QUALITY } from './corrected-mean.js';
import { ScoreQualityStore } from './score-quality.store.js';
import { ScoreRollupStore } from './score-rollup.store.js';
import { scoreNotFound, ScoreStore } from './score.store.js';
import { WriteScores } from './write-scores.js';

const ScoreId = () => Param('id', new PathId(scoreNotFound));
const DefinitionId = () => Param('id', new PathId(scoreDefinitionNotFound));

/** `/api/scores` (docs/spec/scores.md#score-routes). */
@Controller('api/scores')
export class ScoresController {
  constructor(
    private readonly scores: ScoreStore,
    private readonly writes: WriteScores,
  ) {}

  @Post()
  @Operation({
    access: 'feedback',
    summary: 'Score a trace, a span or a session',
    description:
      'With a key of the scope `feedback`, which web pages may hold, `source` is `end_user`, `author` the key, and the trace one of the last 24 hours.',
    answer: scoreSchema,
    problems: ['trace_not_found', 'span_not_found', 'session_not_found', 'id_conflict'],
  })
  async createScore(
    @CurrentScope() scope: Scope,
    @CurrentCaller() caller: Caller | undefined,
    @Body({ schema: createScoreSchema }) body: CreateScore,
  ) {
    const isFeedback = isFeedbackAlone(caller?.permissions ?? []);
    return scoreResource(await this.writes.create(scope, body, caller?.id ?? 'local', isFeedback));
  }

  @Get()
  @Operation({ access: 'read', summary: 'Scores, newest first', answer: scoreListSchema })
  async listScores(@CurrentScope() scope: Scope, @Query({ schema: listScoresSchema }) query: ListScores) {
    return listOf('scores', await this.scores.list(scope, query), scoreResource);
  }

  @Get(':id')
  @Operation({ access: 'read', summary: 'A score', answer: scoreSchema })
  async getScore(@CurrentScope() scope: Scope, @ScoreId() id: string) {
    return scoreResource(await this.scores.get(scope, id));
  }

  @Put(':id')
  @Operation({ access: 'write', summary: 'Change a score', answer: scoreSchema })
  async updateScore(
    @CurrentScope() scope: Scope,
    @ScoreId() id: string,
    @Body({ schema: updateScoreSchema }) body: UpdateScore,
  ) {
    return scoreResource(await this.writes.update(scope, id, body));
  }

  @Delete(':id')
  @Operation({
    access: 'write',
    summary: 'Delete a score',
    audited: ['score.deleted'],
    answer: deletedSchema,
  })
  async deleteScore(@CurrentScope() scope: Scope, @ScoreId() id: string) {
    await this.writes.delete(scope, id);
    return deleted(id);
  }
}

/** `/api/analytics/scores` and `quality` (docs/spec/scores.md#sums-of-scores). */
@Controller('api/analytics')
export class ScoreAnalyticsController {
  constructor(
    private readonly rollups: ScoreRollupStore,
    private readonly quality: ScoreQualityStore,
  ) {}

  @Get('scores')
  @Operation({
    access: 'read',
    summary: 'What scores come to by hour, day or week',
    answer: scoreSeriesSchema,
  })
  async getScoreSeries(
    @CurrentScope() scope: Scope,
    @Query({ schema: scoreSeriesQuerySchema }) query: ScoreSeriesQuery,
  ) {
    return { buckets: await this.rollups.series(scope, query) };
  }

  @Get('quality')
  @Operation({
    access: 'read',
    summary: "A judge's mean, corrected by what people said",
    answer: scoreQualityAnswerSchema,
  })
  async getScoreQuality(
    @CurrentScope() scope: Scope,
    @Query({ schema: scoreQualityQuerySchema }) { split_by: split, ...query }: ScoreQualityQuery,
  ) {
    const [all = { key: null, ...NO_QUALITY }] = await this.quality.measure(scope, query);
    const { key: _all, ...together } = all;
    if (split === undefined) return together;
    return { ...together, series: await this.quality.measure(scope, { ...query, split_by: split }) };
  }
}

/** `/api/score-definitions` (docs/spec/scores.md#definitions). */
@Controller('api/score-definitions')
export class ScoreDefinitionsController {
  constructor(private readonly definitions: ScoreDefinitionStore) {}

  @Post()
  @Operation({
    access: 'write',
    summary: 'Define what scores of a name look like',
    answer: scoreDefinitionSchema,
    problems: ['id_conflict'],
  })
  async createScoreDefinition(
    @CurrentScope() scope: Scope,
    @Body({ schema: createScoreDefinitionSchema }) body: CreateScoreDefinition,
  ) {
    return scoreDefinition(await this.definitions.create(scope, body));
  }

  @Get()
  @Operation({
    access: 'read',
    summary: 'Definitions of scores, oldest first',
    answer: scoreDefinitionListSchema,
  })
  async listScoreDefinitions(@CurrentScope() scope: Scope, @Query({ schema: plainListSchema }) query: PlainList) {
    return listOf('score_definitions', await this.definitions.list(scope, query), scoreDefinition);
  }

  @Get(':id')
  @Operation({
    access: 'read',
    summary: 'A definition of scores',
    answer: scoreDefinitionSchema,
  })
  async getScoreDefinition(@CurrentScope() scope: Scope, @DefinitionId() id: string) {
    return scoreDefinition(await this.definitions.get(scope, id));
  }

  @Put(':id')
  @Operation({
    access: 'write',
    summary: 'Replace a definition of scores; scores that are there stay',
    answer: scoreDefinitionSchema,
  })
  async updateScoreDefinition(
    @CurrentScope() scope: Scope,
    @DefinitionId() id: string,
    @Body({ schema: updateScoreDefinitionSchema }) body: UpdateScoreDefinition,
  ) {
    return scoreDefinition(await this.definitions.update(scope, id, body));
  }

  @Delete(':id')
  @Operation({
    access: 'write',
    summary: 'Delete a definition of scores; scores that are there stay',
    audited: ['score_definition.deleted'],
    answer: deletedSchema,
  })
  async deleteScoreDefinition(@CurrentScope() scope: Scope, @DefinitionId() id: string) {
    await this.definitions.delete(scope, id);
    return deleted(id);
  }
}
