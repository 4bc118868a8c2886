/**
 * Tells the instrumentation scopes whose spans are not kept.
 * @param names of `otlp.drop_scopes`; one that ends in `*` stands for all that begin so.
 */
export function droppedScopes(names: readonly string[]): (scope: string) => boolean {
  const exact = new Set(names.filter((name) => !name.endsWith('*')));
  const beginnings = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (scope) => exact.has(scope) || beginnings.some((beginning) => scope.startsWith(beginning));
}
