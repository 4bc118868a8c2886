import { bothDatabases } from '../support/databases.ts';
import { describeEvals } from './describe-evals.ts';

let databases = 0;
for (const [name, newDatabase] of bothDatabases()) describeEvals(name, () => newDatabase(`evals${databases++}`));
