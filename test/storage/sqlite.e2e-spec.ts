import { SQLITE } from '../support/databases.ts';
import { describeTracingStorage } from './describe-tracing-storage.js';

describeTracingStorage(SQLITE);
