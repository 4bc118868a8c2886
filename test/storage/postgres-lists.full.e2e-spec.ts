import { POSTGRES } from '../support/databases.ts';
import { describeTracingLists } from './describe-tracing-storage.js';

describeTracingLists(POSTGRES);
