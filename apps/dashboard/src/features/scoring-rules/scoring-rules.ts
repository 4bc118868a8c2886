import type { ScoringRuleResource } from '@spandrel/contract';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { api, shortList } from '../../api/api.js';
import { keys } from '../../api/keys.js';

/** The scoring rules of the project, oldest first. */
export const SCORING_RULES = queryOptions({
  queryKey: keys.scoringRules(),
  queryFn: ({ signal }) => shortList<ScoringRuleResource>('listScoringRules', signal),
});

/** One scoring rule, with what it did. */
export const scoringRule = (id: string) =>
  queryOptions({
    queryKey: keys.scoringRule(id),
    queryFn: ({ signal }) => api.getScoringRule({ path: { id }, signal }),
  });

/** Reads rules, and what they decide, again. */
export const rereadRules = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: keys.scoringRules() });

/** The address of a scoring rule. */
export const scoringRuleAddress = (id: string): string => `/scoring-rules/${encodeURIComponent(id)}`;
