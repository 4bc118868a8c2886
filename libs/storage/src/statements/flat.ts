/** The plain members of an entity, without the ORM's markers. */
export type Flat<Entity> = {
  [Member in keyof Entity as Member extends string ? Member : never]: Exclude<Entity[Member], undefined>;
};
