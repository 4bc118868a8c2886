/** The part of the wire that runs in a web page: no zod, no module of Node. Types come from the index. */
export { AUDIT_ACTIONS, type AuditAction } from './audit-actions.js';
export { datapointOfTexts, withExpected } from './conversation/datapoint-of-texts.js';
export { filledText, firstText, isObject, listOf, objectOf, type JsonObject } from './conversation/lenient-values.js';
export { isConversation, readConversation, type Message } from './conversation/messages.js';
export type { MessagePart, ToolCall } from './conversation/parts.js';
export { lastQuestionOf, readAnswer } from './conversation/question-and-answer.js';
export { commonParameters, recordedCall, type RecordedCall } from './conversation/recorded-call.js';
export { ERRORS, type ErrorCode } from './error-codes.js';
export { EVENT_TYPES, type EventType } from './event-types.js';
export { holds, ROLES, SCOPES_OF_ROLES } from './role-scopes.js';
export { parseExactJson, readExactJson } from './values/exact-json.js';
export { JsonSyntaxError, parseWithSources, type JsonValue } from './values/json-digits.js';
export { describeJsonFault } from './values/json-fault.js';
export { bucketsOf, type StatusBucket } from './values/status-buckets.js';
export { describeLeftOut } from './words/describe-left-out.js';
export {
  describeOutcome,
  describePairs,
  describePreference,
  describeVerdict,
  namedScores,
  oneScore,
  shownGroup,
  shownScore,
  type Named,
} from './words/describe-scores.js';
export { scoreText, sumText, type ScoreWords } from './words/score-text.js';
export { formatCount, formatCounted, NONE } from './words/format-count.js';
export { describeIncomparable, judgeRegression } from './words/judge-regression.js';
export {
  describeCorrection,
  describeInterval,
  formatDifference,
  formatInterval,
  formatMetadataValue,
  formatP,
  formatScore,
  formatShare,
  type Bounds,
} from './words/describe-scores.js';
