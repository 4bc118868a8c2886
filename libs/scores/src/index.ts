export { ScoreDefinitionStore } from './score-definition.store.js';
export { ScoringRulesPort } from './scoring-rules-port.js';
export { scoreDefinition, scoreResource } from './score-resource.js';
export { ScoreStore } from './score.store.js';
export { scoresFeature } from './scores.feature.js';
export { ScoresModule } from './scores.module.js';
export { FindTargets } from './find-targets.js';
export { assertFit, attempt, WriteScores } from './write-scores.js';
export type { ScoreDefinitionRow, ScoreRow } from './score.entity.js';
