export { contains, exactMatch, jsonEqual, matches } from './evaluating/scorer.js';
export { ciMetadata } from './evaluating/ci-metadata.js';
export { defineEval, isEvalDefinition } from './evaluating/read-definition.js';
export { DefinitionError } from './evaluating/gate.js';
export type {
  Answer,
  ConversationItem,
  DatasetSource,
  EvalConfig,
  EvalDefinition,
  Item,
  OutputOf,
  Task,
  TaskContext,
  TaskInput,
} from './evaluating/definition.js';
export type { EvalFacts } from './evaluating/definition.js';
export { EvalNotPassedError, type EvalResult } from './evaluating/eval-result.js';
export type { EvalSpan, EvalSpandrel } from './evaluating/definition.js';
export { evaluate } from './evaluating/evaluate.js';
export type { EvalProgress, EvaluateOptions } from './evaluating/definition.js';
export { findBaseline, type BaselineOptions } from './evaluating/start-run.js';
export {
  describeGate,
  needsBaseline,
  type AnyGate,
  type Gate,
  type GateMetric,
  type GateOp,
} from './evaluating/gate.js';
export { parseGate, type GateContext } from './evaluating/gate.js';
export {
  scorer,
  server,
  type Judge,
  type NamedScore,
  type OwnScorer,
  type Scorer,
  type ScorerAnswer,
  type ScorerFunction,
  type ScorerInput,
  type ScorerOptions,
  type ServerScorer,
  type ServerScorerOptions,
} from './evaluating/scorer.js';
