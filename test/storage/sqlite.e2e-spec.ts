import { SQLITE } from '../support/databases.ts';
import { describeTracingLists, describeTracingStorage } from './describe-tracing-storage.js';

describeTracingStorage(SQLITE);
describeTracingLists(SQLITE);
