type Defined<Members> = { [Key in keyof Members]?: Exclude<Members[Key], undefined> }

/** The members that are not undefined, for types in which a member is there or is not. */
export function defined<Members extends object>(members: Members): Defined<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<Members>
}
