export { ScoreDefinitionStore } from './score-definition.store.js';
export { scoreDefinition, scoreResource } from './score-resource.js';
export { ScoreStore } from './score.store.js';
export { scoresFeature } from './scores.feature.js';
export { ScoresModule } from './scores.module.js';
export { assertFit, WriteScores } from './write-scores.js';
export type { ScoreDefinitionRow } from './score.entity.js';
