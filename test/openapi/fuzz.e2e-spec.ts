import { describeFuzz } from './describe-fuzz.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { forBothDatabases } from '../support/databases.ts';

const STRIDES = { SQLite: 6, Postgres: 17 };

forBothDatabases((database) => describeFuzz(database, THOROUGH ? 1 : STRIDES[database.name]));
