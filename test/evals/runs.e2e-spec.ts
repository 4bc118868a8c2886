import { describeEvals } from './describe-evals.ts';
import { DATABASES } from '../support/databases.ts';

DATABASES.forEach(describeEvals);
