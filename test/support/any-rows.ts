import { RowShape, type Query, type Sql, type SqlValue } from '@spandrel/storage';

/** A shape that every row has: for tests that look into tables, where the test itself says what is to be there. */
class AnyShape<Row> extends RowShape<Row> {
  override faultOf(): undefined {
    return undefined;
  }
}

/** A statement of a test, as a template; its rows are not checked. */
export const anyRows =
  <Row>() =>
  (strings: TemplateStringsArray, ...values: readonly (SqlValue | Sql)[]): Query<Row> =>
    new AnyShape<Row>({}).query(strings, ...values);
