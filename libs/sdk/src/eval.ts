export { ciMetadata, nameRun } from './evaluating/ci-metadata.js';
export type * from './evaluating/definition.js';
export { EvalNotPassedError, type EvalResult } from './evaluating/eval-result.js';
export { evaluate } from './evaluating/work-on-run.js';
export { DefinitionError, describeGate, needsBaseline, parseGate } from './evaluating/gate.js';
export type { AnyGate, Gate, GateContext, GateMetric, GateOp } from './evaluating/gate.js';
export { defineEval, isEvalDefinition } from './evaluating/read-definition.js';
export { contains, exactMatch, jsonEqual, matches, scorer, server } from './evaluating/scorer.js';
export type {
  Judge,
  NamedScore,
  OwnScorer,
  Scorer,
  ScorerAnswer,
  ScorerFunction,
  ScorerInput,
  ScorerOptions,
  ServerScorer,
  ServerScorerOptions,
} from './evaluating/scorer.js';
export { explainMissingBaseline, findBaseline, readLatest, type BaselineOptions } from './evaluating/start-run.js';
