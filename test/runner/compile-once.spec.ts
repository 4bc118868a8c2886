import vm, { type Context } from 'node:vm';
import { describe, expect, it } from '@jest/globals';

type Body = (exports: Record<string, unknown>) => void;

/** What a CommonJS module exports in a context, compiled the way jest compiles it. */
function load(source: string, parsingContext: Context, importModuleDynamically = () => Promise.resolve({})) {
  const options = { filename: '/made-up/module.cjs', parsingContext, importModuleDynamically };
  const body = vm.compileFunction(source, ['exports'], options as object) as unknown as Body;
  const exported: Record<string, unknown> = {};
  body(exported);
  return exported;
}

async function importIn(context: Context, source: string): Promise<Record<string, unknown>> {
  const module = new vm.SourceTextModule(source, { identifier: 'file:///made-up/module.js', context });
  await module.link(() => {
    throw new Error('It imports nothing.');
  });
  await module.evaluate();
  return module.namespace as Record<string, unknown>;
}

describe('code that test files share', () => {
  it('has state of its own in each context', () => {
    const source = 'let calls = 0; exports.call = () => ++calls; exports.Array = Array;';
    const [first, second] = [load(source, vm.createContext()), load(source, vm.createContext())];
    const call = (exported: Record<string, unknown>) => (exported.call as () => number)();
    expect([call(first), call(first), call(second)]).toEqual([1, 2, 1]);
    expect(first.Array).not.toBe(second.Array);
  });

  it('has state of its own in each context, in ES modules too', async () => {
    const source = 'let calls = 0; export const call = () => ++calls; export const List = Array;';
    const [first, second] = [await importIn(vm.createContext(), source), await importIn(vm.createContext(), source)];
    const call = (exported: Record<string, unknown>) => (exported.call as () => number)();
    expect([call(first), call(first), call(second)]).toEqual([1, 2, 1]);
    expect(first.List).not.toBe(second.List);
  });

  it('is compiled again when the source has changed', async () => {
    const context = vm.createContext();
    expect(load('exports.value = 1', context)).toEqual({ value: 1 });
    expect(load('exports.value = 2', context)).toEqual({ value: 2 });
    expect((await importIn(context, 'export const value = 1')).value).toBe(1);
    expect((await importIn(context, 'export const value = 2')).value).toBe(2);
  });

  it('reports in a stack the line and column of the module', () => {
    const source = 'throw new Error("no")';
    const stackOf = () => {
      try {
        return load(source, vm.createContext());
      } catch (error) {
        return (error as Error).stack;
      }
    };
    expect(stackOf()).toContain('/made-up/module.cjs:1:7');
    expect(stackOf()).toContain('/made-up/module.cjs:1:7');
  });

  it('imports by the importer of the context that runs it', async () => {
    const source = 'exports.imported = import("other")';
    const importer = (name: string) => () => importIn(vm.createContext(), `export const name = '${name}'`);
    const first = load(source, vm.createContext(), importer('first'));
    const second = load(source, vm.createContext(), importer('second'));
    expect(await first.imported).toMatchObject({ name: 'first' });
    expect(await second.imported).toMatchObject({ name: 'second' });
  });

  it('throws the syntax error of the compiler', () => {
    expect(() => load('export const value = 1', vm.createContext())).toThrow(/Unexpected token 'export'/);
  });
});
