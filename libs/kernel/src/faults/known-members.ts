import { z } from 'zod';

/** The members that an object takes, or those of each object of a list. */
export interface KnownMembers {
  /** By name; a member that is an object with known members itself has these. */
  readonly members: ReadonlyMap<string, KnownMembers | undefined>;
  readonly isList: boolean;
}

export const NO_MEMBERS: KnownMembers = { members: new Map(), isList: false };

/** @returns `undefined` for a schema that is no object, and for an object that takes any member. */
export function knownMembers(schema: z.core.$ZodType): KnownMembers | undefined {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) {
    const item = knownMembers(inner.element);
    return item && !item.isList ? { members: item.members, isList: true } : undefined;
  }
  if (!(inner instanceof z.ZodObject) || takesAny(inner)) return undefined;
  const shape = Object.entries(inner.shape as Record<string, z.core.$ZodType>);
  return { members: new Map(shape.map(([name, member]) => [name, knownMembers(member)])), isList: false };
}

/** The object that a schema takes, within what changes it before it is checked; `undefined` for a schema of something else. */
export function objectOf(schema: z.core.$ZodType): z.ZodObject | undefined {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject ? inner : undefined;
}

export function knownAt(known: KnownMembers | undefined, path: readonly PropertyKey[]): KnownMembers | undefined {
  return path.reduce<KnownMembers | undefined>(
    (at, key) => (typeof key === 'number' ? at : at?.members.get(String(key))),
    known,
  );
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  if (schema instanceof z.ZodUnknown) {
    const { describedBy } = (schema.meta() ?? {}) as { describedBy?: z.core.$ZodType };
    return describedBy ?? schema;
  }
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return innerType ? unwrapped(innerType) : schema;
}

const takesAny = ({ def }: z.ZodObject): boolean => def.catchall !== undefined && !(def.catchall instanceof z.ZodNever);
