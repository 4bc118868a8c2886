import { expect, it } from '@jest/globals';
import type { SchemaGenerator } from '@mikro-orm/sql';
import type { TracingApp } from './tracing-app.js';

export function schema(app: () => TracingApp): void {
  it('has after all migrations exactly the schema of the entities', async () => {
    const generator = app().storage.em().config.getExtension<SchemaGenerator>('@mikro-orm/schema-generator');
    expect(await generator?.getUpdateSchemaSQL({ wrap: false })).toBe('');
  });
}
