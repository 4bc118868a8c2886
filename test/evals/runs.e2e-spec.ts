import { describeEvals } from './describe-evals.ts';
import { forBothDatabases } from '../support/databases.ts';

forBothDatabases(describeEvals);
