export { contains, exactMatch, jsonEqual, matches } from './evaluating/built-in-scorers.js';
export { ciMetadata } from './evaluating/ci-metadata.js';
export { defineEval, isEvalDefinition } from './evaluating/define-eval.js';
export { DefinitionError } from './evaluating/definition-error.js';
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
export type { EvalFacts } from './evaluating/eval-facts.js';
export { EvalNotPassedError, type EvalResult } from './evaluating/eval-result.js';
export type { EvalSpan, EvalSpandrel } from './evaluating/eval-spandrel.js';
export { evaluate } from './evaluating/evaluate.js';
export type { EvalProgress, EvaluateOptions } from './evaluating/evaluate-options.js';
export { findBaseline, type BaselineOptions } from './evaluating/find-baseline.js';
export {
  describeGate,
  needsBaseline,
  type AnyGate,
  type Gate,
  type GateMetric,
  type GateOp,
} from './evaluating/gate.js';
export { parseGate, type GateContext } from './evaluating/parse-gate.js';
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
