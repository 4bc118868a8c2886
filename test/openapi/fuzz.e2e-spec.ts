import { describeFuzz } from './describe-fuzz.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { POSTGRES, SQLITE } from '../support/databases.ts';

describeFuzz(SQLITE, THOROUGH ? 1 : 6);
describeFuzz(POSTGRES, THOROUGH ? 1 : 17);
