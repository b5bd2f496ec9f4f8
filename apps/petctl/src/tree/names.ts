import type { Operation } from '@petstore/types';

/** The names that lead to an operation's command. */
export interface CommandName {
  readonly group: string;
  readonly name: string;
}

/** `listPets` of the tag `pets` becomes `pets list`; the noun stays only where two operations would share a name. */
export function commandNames(operations: readonly Operation[]): Map<Operation, CommandName> {
  const named = operations.map((operation) => {
    const [tag] = operation.tags;
    if (!tag) throw new Error(`${operation.id}: an operation needs a tag, it is the group of its command`);
    const words = kebab(operation.id).split('-');
    return { operation, group: kebab(tag), verb: words[0] ?? '', whole: words.join('-') };
  });
  const names = new Map<Operation, CommandName>();
  const taken = new Map<string, string>();
  for (const { operation, group, verb, whole } of named) {
    const shared = named.filter((other) => other.group === group && other.verb === verb).length > 1;
    const name = shared ? whole : verb;
    const other = taken.get(`${group} ${name}`);
    if (other)
      throw new Error(`${operation.id} and ${other} would both be 'petctl ${group} ${name}'; rename one in the spec`);
    taken.set(`${group} ${name}`, operation.id);
    names.set(operation, { group, name });
  }
  return names;
}

/** `petId` becomes `pet-id`. */
export function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase();
}
