import type { ScoreDefinition } from '@spandrel/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { shortList } from '../../api/api.js';
import { keys } from '../../api/keys.js';

/** What scores of which name look like, oldest first (docs/spec/scores.md#definitions). */
export const SCORE_DEFINITIONS = queryOptions({
  queryKey: keys.scoreDefinitions(),
  queryFn: ({ signal }) => shortList<ScoreDefinition>('listScoreDefinitions', signal),
});

/** The definitions of scores; `undefined` until they are read. */
export const useScoreDefinitions = (): readonly ScoreDefinition[] | undefined => useQuery(SCORE_DEFINITIONS).data;
