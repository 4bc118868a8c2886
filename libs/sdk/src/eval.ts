export { DefinitionError } from './evaluating/definition-error.js';
export {
  describeGate,
  needsBaseline,
  type AnyGate,
  type Gate,
  type GateMetric,
  type GateOp,
} from './evaluating/gate.js';
export { parseGate, type GateContext } from './evaluating/parse-gate.js';
