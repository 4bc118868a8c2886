import type { MigrationObject } from '@mikro-orm/core';
import { Baseline } from './20261126190000-baseline.js';
import { Evaluations } from './20261127070000-evaluations.js';
import { RunSubsets } from './20261127073000-run-subsets.js';
import { RunMeasures } from './20261127101000-run-measures.js';
import { Collaboration } from './20261127101500-collaboration.js';
import { CallsAndTokens } from './20261127104000-calls-and-tokens.js';
import { Scores } from './20261127114444-scores.js';
import { JudgeAttempts } from './20261127134014-judge-attempts.js';
import { ReviewTargets } from './20261127134745-review-targets.js';
import { ScoringRules } from './20261127135944-scoring-rules.js';
import { Alerts } from './20261127135410-alerts.js';
import { ReviewTerms } from './20261127143737-review-terms.js';
import { Comments } from './20261127144235-comments.js';
import { IndexedMetadata } from './20261127141112-indexed-metadata.js';
import { StalledRules } from './20261127172443-stalled-rules.js';
import { ScoreOrder } from './20261127173652-score-order.js';
import { ReviewUntil } from './20261127181046-review-until.js';

export const sqliteMigrations: MigrationObject[] = [
  { name: '20261126190000-baseline', class: Baseline },
  { name: '20261127070000-evaluations', class: Evaluations },
  { name: '20261127073000-run-subsets', class: RunSubsets },
  { name: '20261127101000-run-measures', class: RunMeasures },
  { name: '20261127101500-collaboration', class: Collaboration },
  { name: '20261127104000-calls-and-tokens', class: CallsAndTokens },
  { name: '20261127114444-scores', class: Scores },
  { name: '20261127134014-judge-attempts', class: JudgeAttempts },
  { name: '20261127134745-review-targets', class: ReviewTargets },
  { name: '20261127135944-scoring-rules', class: ScoringRules },
  { name: '20261127135410-alerts', class: Alerts },
  { name: '20261127143737-review-terms', class: ReviewTerms },
  { name: '20261127144235-comments', class: Comments },
  { name: '20261127141112-indexed-metadata', class: IndexedMetadata },
  { name: '20261127172443-stalled-rules', class: StalledRules },
  { name: '20261127173652-score-order', class: ScoreOrder },
  { name: '20261127181046-review-until', class: ReviewUntil },
];
