// The names that an operation has elsewhere: its command in petctl, and its types.

/** The words of an operation's petctl command. They depend on this operation only, so that no other operation renames it. */
export function commandOf({ operationId, tags, 'x-command': chosen }: Record<string, unknown>, path: string): string[] {
  if (chosen !== undefined) return String(chosen).split(' ');
  const [segment = 'root'] = path.split('/').filter((part) => part !== '' && !part.includes('{'));
  const [tag = segment] = Array.isArray(tags) ? tags : [];
  const group = kebab(String(tag));
  const words = kebab(String(operationId)).split('-');
  const nouns = new Set([...group.split('-'), ...group.split('-').map(singular), singular(group)]);
  // The verb is the first word, so it stays even if it is also a noun of the tag.
  return [group, words.filter((word, i) => i === 0 || !nouns.has(word)).join('-')];
}

/** `categoryId` as `category-id`. */
export function kebab(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();
}

const singular = (noun: string) => noun.replace(/ies$/, 'y').replace(/(?<![sui])s$/, '');

/** The TypeScript name of a schema: a schema such as `Error` must not hide the global type. */
export function typeName(schema: string): string {
  return schema in globalThis || utilityTypes.has(schema) ? `Api${schema}` : schema;
}

const utilityTypes = new Set(
  'Record Partial Required Readonly Pick Omit Exclude Extract NonNullable Awaited'.split(' '),
);

/** The name of a type of an operation, such as `ListPetsData`. */
export const operationType = (id: string, part: string) => `${id.charAt(0).toUpperCase()}${id.slice(1)}${part}`;
