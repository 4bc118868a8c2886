import type { ScoreDefinition } from '@spandrel/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { listPage } from '../../api/api.js';
import { keys } from '../../api/keys.js';

/** Definitions that are read; a project has a few. */
const DEFINITIONS_MAX = 1_000;

/** What scores of which name look like, oldest first (docs/spec/scores.md#definitions). */
export const SCORE_DEFINITIONS = queryOptions({
  queryKey: keys.scoreDefinitions(),
  queryFn: async ({ signal }) =>
    (await listPage<ScoreDefinition>('listScoreDefinitions', { query: { limit: DEFINITIONS_MAX }, signal })).rows,
});

/** The definitions of scores; `undefined` until they are read. */
export const useScoreDefinitions = (): readonly ScoreDefinition[] | undefined => useQuery(SCORE_DEFINITIONS).data;
